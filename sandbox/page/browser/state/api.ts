/** Sends a request to the sandbox. Throws an Error with the reason if it refuses. */
export async function get<T>(path: string): Promise<T> {
  return bodyOf<T>(await fetch(`/sandbox/${path}`));
}

/** Readings of what the stream keeps up to date, on their way. */
const readings = new Set<Promise<unknown>>();

/** Like `get`, for what the stream keeps up to date: its events wait until whoever asked has the response. */
export function read<T>(path: string): Promise<T> {
  const reading = get<T>(path);
  readings.add(reading);
  const forget = (): unknown => readings.delete(reading);
  void reading.then(forget, forget);
  return reading;
}

/** Never rejects. An event that came during a reading is newer than its response, and has to be handled after it. */
export async function readingsEnd(): Promise<void> {
  await Promise.allSettled(readings);
}

export async function post<T = unknown>(path: string, body: object = {}): Promise<T> {
  return bodyOf<T>(
    await fetch(`/sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

async function bodyOf<T>(response: Response): Promise<T> {
  const body = (await response.json().catch(() => null)) as { refused?: string } | null;
  if (!response.ok)
    throw new Error(body?.refused ?? `The sandbox responded with ${response.status}.`);
  return body as T;
}
