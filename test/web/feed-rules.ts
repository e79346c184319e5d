import type { Page } from 'playwright-core';
import { parseUrl } from '../../src/runtime/url.ts';

/** An element of an XML document, its name as `{namespace}name`. */
export type Element = {
  name: string;
  attributes: Record<string, string>;
  children: Element[];
  text: string;
};

const ATOM = '{http://www.w3.org/2005/Atom}';

/** Parses as browsers do, without mercy. */
export async function parseXml(browser: Page, xml: string): Promise<Element> {
  return browser.evaluate((text) => {
    // Runs in the browser, which the types here know nothing of.
    const { DOMParser } = globalThis as unknown as { DOMParser: new () => any };
    const read = (node: any): any => ({
      name: (node.namespaceURI ? `{${node.namespaceURI}}` : '') + node.localName,
      attributes: Object.fromEntries([...node.attributes].map((it: any) => [it.name, it.value])),
      children: [...node.children].map(read),
      text: node.textContent,
    });
    const parsed = new DOMParser().parseFromString(text, 'application/xml');
    const fault = parsed.querySelector('parsererror');
    if (fault !== null) throw new Error(fault.textContent);
    return read(parsed.documentElement);
  }, xml);
}

const all = ({ children }: Element, name: string) => children.filter((it) => it.name === name);
const textOf = (element: Element, name: string) => all(element, name)[0]?.text;

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const isAddress = (text: string | undefined) =>
  /^https?:/.test(text ?? '') && parseUrl(text!) !== null;

class Faults {
  readonly found: string[] = [];
  must(holds: boolean, sentence: string): void {
    if (!holds) this.found.push(sentence);
  }
  unique(values: readonly (string | undefined)[], what: string): void {
    this.must(new Set(values).size === values.length, `${what} must be unique`);
  }
}

/** RFC 4287, sections 4.1.1 (feed), 4.1.2 (entry), 3.1 (text) and 4.2.7 (link). */
export function atomFaults(feed: Element): string[] {
  const faults = new Faults();
  const { must } = { must: faults.must.bind(faults) };
  must(feed.name === `${ATOM}feed`, 'the root is atom:feed');
  const entries = all(feed, `${ATOM}entry`);
  const known: Record<'feed' | 'entry', RegExp> = {
    feed: /^(id|title|updated|author|link|subtitle|generator|category|contributor|icon|logo|rights|entry)$/,
    entry:
      /^(id|title|updated|author|link|summary|content|published|category|contributor|rights|source)$/,
  };
  for (const [kind, elements] of [
    ['feed', [feed]],
    ['entry', entries],
  ] as const) {
    for (const element of elements) {
      for (const name of ['id', 'title', 'updated']) {
        must(all(element, ATOM + name).length === 1, `${kind} has exactly one ${name}`);
      }
      for (const child of element.children) {
        must(
          child.name.startsWith(ATOM) && known[kind].test(child.name.slice(ATOM.length)),
          `${kind} has no ${child.name}`,
        );
      }
      must(parseUrl(textOf(element, `${ATOM}id`) ?? '') !== null, `the id of a ${kind} is an IRI`);
      must(rfc3339.test(textOf(element, `${ATOM}updated`) ?? ''), `updated of a ${kind} is a date`);
      const links = all(element, `${ATOM}link`);
      for (const { attributes } of links)
        must(isAddress(attributes['href']), 'a link has an address');
      const alternates = links.filter(
        ({ attributes }) => (attributes['rel'] ?? 'alternate') === 'alternate',
      );
      must(alternates.length === 1, `${kind} has one alternate link`);
      for (const text of ['title', 'summary', 'content', 'subtitle']) {
        for (const { attributes, children } of all(element, ATOM + text)) {
          must(['text', 'html', undefined].includes(attributes['type']), `${text} has a type`);
          must(children.length === 0, `${text} has no child elements`);
        }
      }
      for (const author of all(element, `${ATOM}author`)) {
        must((textOf(author, `${ATOM}name`) ?? '') !== '', 'an author has a name');
      }
    }
  }
  must(all(feed, `${ATOM}author`).length > 0, 'feed has an author, since not every entry has');
  must(
    all(feed, `${ATOM}link`).some(({ attributes }) => attributes['rel'] === 'self'),
    'feed has a link to itself',
  );
  faults.unique(
    entries.map((entry) => textOf(entry, `${ATOM}id`)),
    'ids of entries',
  );
  return faults.found;
}
