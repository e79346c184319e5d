/** Discord's documented limits, which no package exports. Lengths are in UTF-16 units. */
export const limits = {
  contentLength: 2000,
  embedTitleLength: 256,
  embedDescriptionLength: 4096,
  embedFieldLength: 1024,
  /** The address in an embed's title or picture. */
  embedAddressLength: 2048,
  /** All texts of a message's embeds together. */
  embedsLength: 6000,
  /** The choices of a completion. */
  choices: 25,
  /** The name of a choice, and its value. */
  choiceLength: 100,
  selectOptions: 25,
  customIdLength: 100,
  /** The label of an option in a select, and its description. */
  selectOptionLength: 100,
  modalTitleLength: 45,
  labelLength: 45,
  /** The name of a server, a channel or a thread. */
  nameLength: 100,
  nonceLength: 25,
  /** The messages, members or threads in the answer to one request. */
  pageSize: 100,
  /** By default, for a bot (docs, "Global Rate Limit"). */
  requestsPerSecond: 50,
  /** The first answer to an interaction has to be there within this time. */
  firstAnswerMs: 3000,
  /** An interaction can be answered, and its answer edited, for this long. */
  interactionMs: 15 * 60_000,
} as const;
