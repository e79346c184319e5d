import type { TemplateResult } from 'lit';

/** The panel beside Discord. The page knows nothing else about it. */
export type Panel = {
  label(): string;
  /** On the button that opens it where the window is narrow. */
  button(): string;
  view(): TemplateResult;
  /** Reads what it shows, at first and after a lost stream. */
  read(): Promise<unknown>;
};
