import { type Context, Hono } from 'hono';
import { type CommandForm, commandForm } from '../../forms/command-form.ts';
import { commandPayload, commandsIn, putCommand } from '../../interactions/stored-commands.ts';
import type { StoredCommand } from '../../model/command.ts';
import type { World } from '../../model/world.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import { reachGuild } from '../access.ts';
import { readBody } from '../body.ts';
import { ApiError, refuse } from '../errors.ts';
import { formError, parseForm } from '../parse-form.ts';

/** Per type, globally and in each guild: slash, user, message commands. */
const MOST = { 1: 100, 2: 15, 3: 15 } as const;

export function commandRoutes(world: World): Hono {
  const routes = new Hono();
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
    addRoutes(routes, base, world);
  }
  return routes;
}

function addRoutes(routes: Hono, base: string, world: World): void {
  const place = (context: Context): Snowflake | null => {
    if (context.req.param('application') !== world.application.id) {
      throw refuse('unknownApplication');
    }
    const guild = context.req.param('guild');
    if (guild === undefined) return null;
    if (!world.guilds.has(guild)) throw refuse('missingAccess');
    return reachGuild(world, guild).id;
  };
  const known = (context: Context): StoredCommand => {
    const guildId = place(context);
    const command = world.commands.get(context.req.param('command') ?? '');
    if (command === undefined || command.guildId !== guildId) throw refuse('unknownCommand');
    return command;
  };
  const show = (command: StoredCommand) => commandPayload(world, command, true);
  const changed = (guildId: Snowflake | null): void =>
    world.changes.emit({
      t: 'SANDBOX_COMMANDS',
      d: { guild_id: guildId },
      intents: 0,
      pageOnly: true,
    });

  routes.get(base, (context) => {
    const withLocalizations = context.req.query('with_localizations') === 'true';
    const commands = commandsIn(world, place(context));
    return context.json(commands.map((one) => commandPayload(world, one, withLocalizations)));
  });

  routes.put(base, async (context) => {
    const guildId = place(context);
    const { body } = await readBody(context);
    if (!Array.isArray(body)) throw refuse('invalidJson');
    const forms = readForms(body as unknown[]);
    const kept = new Set(forms.map((form) => putCommand(world, guildId, form).command.id));
    for (const { id } of commandsIn(world, guildId)) if (!kept.has(id)) world.commands.delete(id);
    changed(guildId);
    return context.json(commandsIn(world, guildId).map(show));
  });

  routes.post(base, async (context) => {
    const guildId = place(context);
    const { body } = await readBody(context);
    const { command, created } = putCommand(world, guildId, parseForm(commandForm(body), body));
    if (tooMany(commandsIn(world, guildId).map((one) => one.form))) {
      world.commands.delete(command.id);
      throw new ApiError(400, 30032, 'Maximum number of application commands reached (100)');
    }
    changed(guildId);
    return context.json(show(command), created ? 201 : 200);
  });

  routes.delete(`${base}/:command`, (context) => {
    const command = known(context);
    world.commands.delete(command.id);
    changed(command.guildId);
    return context.body(null, 204);
  });
}

/** All of them, or none: a fault in one leaves what was deployed before. */
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
