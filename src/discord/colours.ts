/** The stripe beside the bot's embeds. */
export const COLOUR = 0xff6a3d;
/** The stripe beside a line of the log channel. */
export const GREY = 0x80848e;
