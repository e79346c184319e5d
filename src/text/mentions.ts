/** A time that Discord shows in the reader's own zone and language, such as `R` for "in 2 hours". */
export function timestamp(atMs: number, style: 'D' | 'f' | 'F' | 'R'): string {
  return `<t:${Math.floor(atMs / 1000)}:${style}>`;
}

export function mentions(kind: '#' | '@&', ids: readonly string[]): string {
  return ids.map((id) => `<${kind}${id}>`).join(' ');
}
