/** What the picture of a page shows. */
export type Motif = 'hills' | 'hexagons' | 'network' | 'rings' | 'bars';

/** A page that the community talks about. */
export type KnownPage = {
  link: string;
  title: string;
  /** What the page says of itself. */
  about: string;
  /** What its poster says of it. */
  comment?: string;
  /** What its picture shows; chosen by its address otherwise. */
  cover?: Motif;
  /** Many vote for it. */
  loved?: boolean;
};
