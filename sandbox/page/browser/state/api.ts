/** Sends a request to the sandbox. Throws an Error with the reason if it refuses. */
export async function get<T>(path: string): Promise<T> {
  return answerOf<T>(await fetch(`/sandbox/${path}`));
}

export async function post<T = unknown>(path: string, body: object = {}): Promise<T> {
  return answerOf<T>(
    await fetch(`/sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

async function answerOf<T>(response: Response): Promise<T> {
  const body = (await response.json().catch(() => null)) as { refused?: string } | null;
  if (!response.ok) throw new Error(body?.refused ?? `The sandbox answered ${response.status}.`);
  return body as T;
}
