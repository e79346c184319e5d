/** What a page says of itself, as far as Discord's preview of a link shows it. */
export type WebPage = {
  title?: string;
  description?: string;
  /** The name of the site, above the title. */
  site?: string;
  /** The address of a picture. */
  picture?: string;
  /** The picture is shown large, below the text. */
  large?: boolean;
};

/** The pages that links lead to. No other host is asked. */
export type Web = {
  /** undefined: the link has no preview. */
  page(link: string): WebPage | undefined;
  picture(address: string): { contentType: string; data: string | Uint8Array } | undefined;
};

export const EMPTY_WEB: Web = { page: () => undefined, picture: () => undefined };
