/** Puts a value behind the others of a map, and forgets the oldest ones beyond `atMost`. */
export function remember<K, V>(known: Map<K, V>, key: K, value: V, atMost: number): void {
  known.delete(key);
  known.set(key, value);
  const [oldest] = known.keys();
  if (known.size > atMost && oldest !== undefined) known.delete(oldest);
}
