import { type Context, Hono } from 'hono';
import { type CommandForm, commandForm } from '../../forms/command-form.ts';
import { commandPayload, putCommand } from '../../world/interactions/stored-commands.ts';
import type { StoredCommand } from '../../model/command.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import type { World } from '../../model/world.ts';
import { reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { ApiError, refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';

type Place = { guildId: Snowflake | null; all: () => StoredCommand[] };

/** Per type, globally and in each guild: slash, user, message commands. */
const MOST = { 1: 100, 2: 15, 3: 15 } as const;

export function commandRoutes(world: World): Hono {
  const routes = new Hono();
  const show = (command: StoredCommand) => commandPayload(world, command, true);
  const changed = (): void =>
    world.changes.emit({ t: 'BOX_COMMANDS', d: {}, intents: 0, pageOnly: true });

  routes.get('/applications/:application/guilds/:guild/commands/permissions', (context) => {
    const { application, guild: guildId } = context.req.param();
    if (application !== world.application.id) throw refuse('unknownApplication');
    const { id, commandPermissions } = reachGuild(world, guildId);
    const common = { application_id: application, guild_id: id };
    return context.json(
      [...(commandPermissions ?? [])].map(([of, permissions]) => ({
        id: of,
        ...common,
        permissions,
      })),
    );
  });

  for (const base of [
    '/applications/:application/commands',
    '/applications/:application/guilds/:guild/commands',
  ]) {
    /** The commands of that place: of everywhere, or of one guild. */
    const placeOf = (context: Context): Place => {
      if (context.req.param('application') !== world.application.id) {
        throw refuse('unknownApplication');
      }
      const guild = context.req.param('guild');
      const guildId = guild === undefined ? null : reachGuild(world, guild).id;
      const all = () =>
        [...world.commands.values()].filter((one) => (one.guildId ?? null) === guildId);
      return { guildId, all };
    };
    const commandOf = (context: Context): StoredCommand => {
      const { all } = placeOf(context);
      const command = all().find(({ id }) => id === context.req.param('command'));
      if (command === undefined) throw refuse('unknownCommand');
      return command;
    };

    routes.get(base, (context) => {
      const withLocalizations = context.req.query('with_localizations') === 'true';
      const { all } = placeOf(context);
      return context.json(all().map((one) => commandPayload(world, one, withLocalizations)));
    });

    routes.put(base, async (context) => {
      const { guildId, all } = placeOf(context);
      const { body } = await readBody(context);
      if (!Array.isArray(body)) throw refuse('invalidJson');
      const forms = readForms(body as unknown[]);
      const kept = new Set(forms.map((form) => putCommand(world, form, guildId).command.id));
      for (const { id } of all()) if (!kept.has(id)) world.commands.delete(id);
      changed();
      return context.json(all().map(show));
    });

    routes.post(base, async (context) => {
      const { guildId, all } = placeOf(context);
      const { body } = await readBody(context);
      const form = parseForm(commandForm(body), body);
      const { command, created } = putCommand(world, form, guildId);
      if (tooMany(all().map((one) => one.form))) {
        world.commands.delete(command.id);
        throw new ApiError(400, 30032, 'Maximum number of application commands reached (100)');
      }
      changed();
      return context.json(show(command), created ? 201 : 200);
    });

    routes.get(`${base}/:command`, (context) => context.json(show(commandOf(context))));

    routes.patch(`${base}/:command`, async (context) => {
      const command = commandOf(context);
      const { body } = await readBody(context);
      const whole = { ...command.form, ...body };
      command.form = parseForm(commandForm(whole), whole);
      command.version = world.snowflake();
      changed();
      return context.json(show(command));
    });

    routes.delete(`${base}/:command`, (context) => {
      world.commands.delete(commandOf(context).id);
      changed();
      return context.body(null, 204);
    });
  }

  return routes;
}

/** All of them, or none: a wrong one leaves what was deployed before. */
function readForms(bodies: unknown[]): CommandForm[] {
  const forms = bodies.map((body, index) => {
    try {
      return parseForm(commandForm(body), body);
    } catch (error) {
      if (!(error instanceof ApiError) || error.errors === undefined) throw error;
      const { status, code, message } = error;
      throw new ApiError(status, code, message, { errors: { [index]: error.errors } });
    }
  });
  const names = new Set<string>();
  forms.forEach((form, index) => {
    const key = `${form.type ?? 1} ${form.name}`;
    if (names.has(key)) {
      const message = 'Application command names must be unique';
      const code = 'APPLICATION_COMMANDS_DUPLICATE_NAME';
      throw formError([{ path: [String(index), 'name'], code, message }]);
    }
    names.add(key);
  });
  if (tooMany(forms)) {
    throw formError([{ path: [], code: 'BASE_TYPE_MAX_LENGTH', message: 'Too many commands.' }]);
  }
  return forms;
}

function tooMany(forms: CommandForm[]): boolean {
  return ([1, 2, 3] as const).some(
    (type) => forms.filter((form) => (form.type ?? 1) === type).length > MOST[type],
  );
}
