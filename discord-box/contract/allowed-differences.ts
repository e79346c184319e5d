/** Where a bot or this Discord may differ from the specification, and why. */
const ALLOWED: { violation: RegExp; why: string }[] = [
  {
    violation: /commands.* sent: .*\.default_member_permissions .* but is "\d+"$/,
    why: 'The specification says number. The documentation says text, and Discord takes both.',
  },
  {
    violation: /^POST \/channels\/:channel\/threads 201: \.message the specification/,
    why: 'The documentation has the first message of a new post in the response.',
  },
  {
    violation: /\/callback 200: \.resource\.type .*expected 4, but is [56]$/,
    why: 'The specification knows two kinds of answers to an interaction here, and Discord has deferred ones too.',
  },
  {
    violation: /\.message_reference\.type .*expected 0, but is 1$/,
    why: 'The specification knows replies alone. The documentation has forwards, whose type is 1.',
  },
  {
    violation: /^READY: \.v .*expected 10, but is 9$/,
    why: 'The specification is that of version 10. Discord serves 9 as well.',
  },
  {
    violation: / sent: .*\.(?:enforce_nonce|tts) the specification knows no/,
    why: 'discord.js sends both with every message, and Discord ignores what it does not know.',
  },
];

export function isAllowed(violation: string): boolean {
  return ALLOWED.some((one) => one.violation.test(violation));
}
