/** The stripe beside the bot's embeds. */
export const COLOUR = 0xff6a3d;
/** The stripe beside a removed article or an entry of the audit log. */
export const GREY = 0x80848e;
