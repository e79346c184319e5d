import type { TemplateResult } from 'lit';

/** What stands beside Discord. The page knows nothing else of it. */
export type Panel = {
  label(): string;
  /** On the button that opens it where the window is narrow. */
  emoji: string;
  view(): TemplateResult;
  /** Reads what it shows, before the first drawing. */
  read(): Promise<unknown>;
};
