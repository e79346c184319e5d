/** A time that Discord shows in the reader's own zone and language, such as `R` for "in 2 hours". */
export function timestamp(atMs: number, style: 'd' | 'D' | 'f' | 'F' | 'R'): string {
  return `<t:${Math.floor(atMs / 1000)}:${style}>`;
}

export function mentions(kind: '#' | '@&', ids: readonly string[]): string {
  return ids.map((id) => `<${kind}${id}>`).join(' ');
}

/** The address of a message in Discord. Discord shows a bare one as a link to the channel. */
export function messageLink(
  guild: string,
  { channel, id }: { channel: string; id: string },
): string {
  return `https://discord.com/channels/${guild}/${channel}/${id}`;
}
