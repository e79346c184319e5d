/** Asks the sandbox; what it refuses becomes an Error with its reason. */
export async function get(path) {
  return answerOf(await fetch(`/sandbox/${path}`));
}

export async function post(path, body) {
  return answerOf(
    await fetch(`/sandbox/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

async function answerOf(response) {
  const body = await response.json().catch(() => null);
  if (!response.ok) throw new Error(body?.refused ?? `The sandbox answered ${response.status}.`);
  return body;
}

/** Makes an element. Text is always text, never markup. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'class') element.className = value;
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(
    ...children.filter((child) => child !== undefined && child !== null && child !== false),
  );
  return element;
}
