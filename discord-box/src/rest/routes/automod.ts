import {
  AutoModerationActionType as Act,
  AutoModerationRuleTriggerType as Trigger,
  PermissionFlagsBits as P,
} from 'discord-api-types/v10';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { emitRule, rulePayload } from '../../world/guilds/automod.ts';
import type { AutoModRule, Guild } from '../../model/guild.ts';
import type { Json } from '../../model/message.ts';
import type { World } from '../../model/world.ts';
import { needGuildPermission, reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';

const zId = z.string().regex(/^\d{15,20}$/, 'Value is not snowflake.');
const zPattern = z.string().max(260).refine(isPattern, 'Invalid regular expression.');
const zMetadata = z.looseObject({
  regex_patterns: z.array(zPattern).max(10).optional(),
  allow_list: z.array(z.string().max(60)).max(100).optional(),

  keyword_filter: z.array(z.string().max(60)).max(1000).optional(),
});
const zRuleChange = z.object({
  name: z.string().min(1).max(100).optional(),
  event_type: z.int().min(1).max(2).optional(),
  trigger_metadata: zMetadata.nullish(),
  actions: z
    .array(z.object({ type: z.enum(Act), metadata: z.looseObject({}).nullish() }))
    .min(1)
    .optional(),
  enabled: z.boolean().nullish(),
  exempt_roles: z.array(zId).max(20).nullish(),
  exempt_channels: z.array(zId).max(50).nullish(),
});
const zRuleForm = zRuleChange
  .required({ name: true, event_type: true, actions: true })
  .extend({ trigger_type: z.enum(Trigger) });

/** What Discord adds where a rule leaves it out. */
const WHOLE: Partial<Record<Trigger, Json>> = {
  [Trigger.Keyword]: { keyword_filter: [], regex_patterns: [], allow_list: [] },
  [Trigger.KeywordPreset]: { presets: [], allow_list: [] },
  [Trigger.MentionSpam]: { mention_total_limit: 20, mention_raid_protection_enabled: false },
};

/** How many rules of a kind a server has; one where nothing is said. */
const MOST: Partial<Record<Trigger, number>> = { [Trigger.Keyword]: 6 };

/** Rules of automatic moderation. Those of keywords hold back messages; the others are kept alone. */
export function automodRoutes(world: World): Hono {
  const routes = new Hono();
  const { botId } = world.application;
  const path = '/guilds/:guild/auto-moderation/rules';

  const reach = (context: Context): Guild => {
    const guild = reachGuild(world, context.req.param('guild') ?? '');
    needGuildPermission(world, guild, P.ManageGuild);
    return guild;
  };
  const reachRule = (context: Context): { guild: Guild; rule: AutoModRule } => {
    const guild = reach(context);
    const rule = guild.rules.get(context.req.param('rule') ?? '');
    if (rule === undefined) throw refuse('unknownRule');
    return { guild, rule };
  };

  routes.get(path, (context) => {
    const guild = reach(context);
    return context.json([...guild.rules.values()].map((rule) => rulePayload(guild, rule)));
  });
  routes.get(`${path}/:rule`, (context) => {
    const { guild, rule } = reachRule(context);
    return context.json(rulePayload(guild, rule));
  });
  routes.post(path, async (context) => {
    const guild = reach(context);
    const form = parseForm(zRuleForm, (await readBody(context)).body);
    const { trigger_type, name, event_type } = form;
    const most = MOST[trigger_type] ?? 1;
    const alike = [...guild.rules.values()].filter((one) => one.trigger_type === trigger_type);
    if (alike.length >= most) {
      const message = `Maximum number of rules of this type reached (${most}).`;
      const code = 'AUTO_MODERATION_MAX_RULES_OF_TYPE_EXCEEDED';
      throw formError([{ path: ['trigger_type'], code, message }]);
    }
    const rule: AutoModRule = {
      id: world.snowflake(),
      name,
      creator_id: botId,
      event_type,
      trigger_type,
      trigger_metadata: {},
      actions: [],
      enabled: false,
      exempt_roles: [],
      exempt_channels: [],
      ...settingsOf(form),
    };
    rule.trigger_metadata = { ...WHOLE[trigger_type], ...rule.trigger_metadata };
    guild.rules.set(rule.id, rule);
    emitRule(world, guild, 'CREATE', rule);
    return context.json(rulePayload(guild, rule));
  });
  routes.patch(`${path}/:rule`, async (context) => {
    const { guild, rule } = reachRule(context);
    const form = parseForm(zRuleChange, (await readBody(context)).body);
    const { name, event_type } = form;
    const { trigger_metadata = {}, ...settings } = settingsOf(form);
    Object.assign(rule, settings, {
      trigger_metadata: { ...rule.trigger_metadata, ...trigger_metadata },
      ...(name === undefined ? {} : { name }),
      ...(event_type === undefined ? {} : { event_type }),
    });
    emitRule(world, guild, 'UPDATE', rule);
    return context.json(rulePayload(guild, rule));
  });
  routes.delete(`${path}/:rule`, (context) => {
    const { guild, rule } = reachRule(context);
    guild.rules.delete(rule.id);
    emitRule(world, guild, 'DELETE', rule);
    return context.body(null, 204);
  });

  return routes;
}

function settingsOf(form: z.output<typeof zRuleChange>): Partial<AutoModRule> {
  const { actions, trigger_metadata, enabled, exempt_roles, exempt_channels } = form;
  return {
    ...(actions === undefined
      ? {}
      : { actions: actions.map(({ type, metadata }) => ({ type, metadata: metadata ?? {} })) }),
    ...(trigger_metadata == null ? {} : { trigger_metadata }),
    ...(enabled == null ? {} : { enabled }),
    ...(exempt_roles == null ? {} : { exempt_roles }),
    ...(exempt_channels == null ? {} : { exempt_channels }),
  };
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'iu') instanceof RegExp;
  } catch {
    return false;
  }
}
