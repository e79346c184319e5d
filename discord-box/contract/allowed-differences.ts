/** Where a bot or this Discord may differ from the specification, and why. */
const ALLOWED: { fault: RegExp; why: string }[] = [
  {
    fault: /commands.* sent: .*\.default_member_permissions .* but is "\d+"$/,
    why: 'The specification says number. The documentation says text, and Discord takes both.',
  },
  {
    fault: /^POST \/channels\/:channel\/threads 201: \.message the specification/,
    why: 'The documentation has the first message of a new post in the answer.',
  },
  {
    fault: /\/callback 200: \.resource\.type .*expected 4, but is [56]$/,
    why: 'The specification knows two kinds of answers here, and Discord has deferred ones too.',
  },
  {
    fault: /\.message_reference\.type .*expected 0, but is 1$/,
    why: 'The specification knows replies alone. The documentation has forwards, whose type is 1.',
  },
  {
    fault: / sent: .*\.(?:enforce_nonce|tts) the specification knows no/,
    why: 'discord.js sends both with every message, and Discord ignores what it does not know.',
  },
];

export function isAllowed(fault: string): boolean {
  return ALLOWED.some((one) => one.fault.test(fault));
}
