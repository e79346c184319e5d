/** Something that Discord's own client would not let a member do, with the reason it would show. */
export class ActorError extends Error {
  override readonly name = 'ActorError';
}
