const STRING_OR_ID = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+])\d{17,20}(?![\d.eE])/g;

/**
 * As `JSON.parse`, but an id that a client writes as a number stays whole, as text: discord.py writes all
 * ids of requests so, and a number here holds 53 bits. Limits of numbers have 16 digits at most.
 */
export function parseJson(text: string): unknown {
  return JSON.parse(
    text.replace(STRING_OR_ID, (found) => (found[0] === '"' ? found : `"${found}"`)),
  );
}
