/** Signs that the standard of URLs leaves as they are in one address and escapes in another. */
const escaped = /[|[\]^`{}\\]/g;

/**
 * One spelling of an escaped path: a sign that has no meaning of its own there has no escape (RFC 3986:
 * unreserved signs, sub-delimiters, `:` and `@`); all others have one, in upper case.
 */
export function oneSpellingOfPath(path: string): string {
  return oneSpellingOf(path, /[\w.~!$&'()*+,;=:@-]/);
}

/**
 * One spelling of a parameter, in which `&`, `=`, `+`, `;` and `#` have a meaning. An apostrophe has an
 * escape, which the standard of URLs demands.
 */
export function oneSpellingOfQuery(parameter: string): string {
  return oneSpellingOf(parameter, /[\w.~!$()*,:@/?-]/);
}

function oneSpellingOf(text: string, plain: RegExp): string {
  return oneSpelling(text, plain).replace(
    escaped,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** RFC 3986, 6.2.2: signs that are `plain` have no escape, and escapes are in upper case. */
export function oneSpelling(text: string, plain = /[\w.~-]/): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const sign = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return plain.test(sign) ? sign : escape.toUpperCase();
  });
}
