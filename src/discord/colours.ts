/** The stripe beside an embed of ours. */
export const COLOUR = 0xff6a3d;
/** The stripe beside what is gone: a removed article, an entry of the audit log. */
export const GREY = 0x80848e;
