/** What the script calls an interaction of this type, and a component of this one. */
export function kindOf(type, componentType) {
  const used = componentType === 2 ? 'button' : 'select';
  return { 2: 'command', 3: used, 4: 'completion', 5: 'form' }[type];
}
