/** Discord's errors: an HTTP status, a JSON code, a sentence, and for forms what is wrong where. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    code: number,
    message: string,
    more: { errors?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = more.errors;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/**
 * The refusals that the box can give. A code and its sentence are those of Discord's documentation, "Opcodes and
 * Status Codes", table "JSON error codes", unless a line says where else they were seen.
 */
const ERRORS = {
  unauthorized: [401, 0, '401: Unauthorized'],
  notFound: [404, 0, '404: Not Found'],
  unknownApplication: [404, 10002, 'Unknown Application'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownGuild: [404, 10004, 'Unknown Guild'],
  unknownMember: [404, 10007, 'Unknown Member'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownUser: [404, 10013, 'Unknown User'],
  unknownEmoji: [400, 10014, 'Unknown Emoji'],
  unknownGuildEmoji: [404, 10014, 'Unknown Emoji'],
  unknownInvite: [404, 10006, 'Unknown Invite'],
  tooManyEmojis: [400, 30008, 'Maximum number of emojis reached (50)'],
  tooManyWebhooks: [400, 30007, 'Maximum number of webhooks reached (15)'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  unknownBan: [404, 10026, 'Unknown Ban'],
  unknownCommand: [404, 10063, 'Unknown application command'],
  // Seen as 400 as well.
  tooManyReactions: [403, 30010, 'Maximum number of reactions reached (20)'],
  tooManyOldEdits: [
    429,
    30046,
    'Maximum number of edits to messages older than 1 hour reached. Try again later.',
  ],
  alreadyCrossposted: [400, 40033, 'This message has already been crossposted.'],
  alreadyAcknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  invalidApiVersion: [400, 50041, 'Invalid API version'],
  missingAccess: [403, 50001, 'Missing Access'],
  notTheAuthor: [403, 50005, 'Cannot edit a message authored by another user'],
  emptyMessage: [400, 50006, 'Cannot send an empty message'],
  cannotMessageUser: [403, 50007, 'Cannot send messages to this user'],
  messageInForum: [400, 40058, 'Cannot send a message in a forum channel'],
  notTextChannel: [400, 50008, 'Cannot send messages in a non-text channel'],
  notInThisChannel: [400, 50024, 'Cannot execute action on this channel type'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  wrongNumberToDelete: [
    400,
    50016,
    'You can only bulk delete messages between 2 and 100 in number.',
  ],
  systemMessage: [403, 50021, 'Cannot execute action on a system message'],
  twoFactorsNeeded: [403, 60003, 'Two factor is required for this operation'],
  pollIsOver: [400, 520_001, 'Poll expired'],
  voiceMessageHasMore: [400, 50159, 'Voice messages do not support additional content.'],
  voiceMessageLacksAudio: [400, 50160, 'Voice messages must have a single audio attachment.'],
  mayNotReference: [
    403,
    160_009,
    'Cannot reference a message without permission to read message history',
  ],
  ageRestrictedReference: [400, 160_010, 'NSFW channel message reference not allowed'],
  webhookNeedsThread: [
    400,
    220_001,
    'Webhooks posted to forum channels must have a thread_name or thread_id',
  ],
  webhookHasBothThreads: [
    400,
    220_002,
    'Webhooks posted to forum channels cannot have both a thread_name and thread_id',
  ],
  webhookThreadElsewhere: [400, 220_003, 'Webhooks can only create threads in forum channels'],
  noPoll: [400, 520_006, 'Cannot expire a non-poll message'],
  tooOldToDelete: [400, 50034, 'You can only bulk delete messages that are under 14 days old.'],
  tooManyPins: [400, 30003, 'Maximum number of pins reached (250)'],
  pollEdited: [400, 520_003, 'Cannot edit a poll message'],
  // Discord's clients do not offer it, and its documents give no code.
  forwardEdited: [400, 50068, 'Invalid message type'],
  unreadableForward: [400, 160_014, 'You cannot forward a message whose content you cannot read.'],
  unknownTag: [404, 10087, 'Unknown tag'],
  tooManyPinnedThreads: [
    400,
    30047,
    'Maximum number of pinned threads in a forum channel has been reached',
  ],
  tagRequired: [400, 40067, 'A tag is required to create a forum post in this channel'],
  unknownRule: [404, 10066, 'Unknown auto moderation rule'],
  unknownVoiceState: [404, 10065, 'Unknown Voice State'],
  notInVoice: [400, 40032, 'Target user is not connected to voice.'],
  unknownStage: [404, 10067, 'Unknown Stage Instance'],
  stageIsOpen: [400, 150_006, 'The Stage is already open'],
  unknownEvent: [404, 10070, 'Unknown Guild Scheduled Event'],
  tooManyEvents: [400, 30038, 'Maximum number of uncompleted guild scheduled events reached (100)'],
  eventIsOver: [400, 180_000, 'Cannot update a finished event'],
  widgetOff: [403, 50004, 'Widget Disabled'],
  unknownWelcomeScreen: [404, 10069, 'Unknown Guild Welcome Screen'],
  onboardingNeedsMore: [400, 350_000, 'Cannot enable onboarding, requirements are not met'],
  unknownSound: [404, 10097, 'Unknown sound'],
  tooManySounds: [400, 30045, 'Maximum number of soundboard sounds reached (8)'],
  unknownSticker: [404, 10060, 'Unknown sticker'],
  tooManyStickers: [400, 30039, 'Maximum number of stickers reached (5)'],
  invalidSticker: [400, 50081, 'Invalid sticker sent'],
  invalidFile: [400, 50046, 'Invalid file uploaded'],
  nobodyBanned: [400, 500_000, 'Failed to ban users'],
  unknownRole: [404, 10011, 'Unknown Role'],
  unknownOverwrite: [404, 10009, 'Unknown Overwrite'],
  invalidWebhookToken: [401, 50027, 'Invalid Webhook Token'],
  threadArchived: [400, 50083, 'Thread is archived'],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
  tooLarge: [413, 40005, 'Request entity too large'],
  noMutualGuild: [403, 50278, 'Cannot send messages to this user due to having no mutual guilds'],
  reactionBlocked: [403, 90001, 'Reaction was blocked'],
  mayNotReply: [403, 160002, 'Cannot reply without permission to read message history'],
  threadLocked: [403, 160005, 'Thread is locked'],
  tooManyThreads: [400, 160006, 'Maximum number of active threads reached'],
  harmfulLink: [400, 240000, 'Message blocked by harmful links filter'],
  threadAlreadyCreated: [400, 160004, 'A thread has already been created for this message'],
} as const satisfies Record<string, readonly [number, number, string]>;

export function refuse(reason: keyof typeof ERRORS): ApiError {
  const [status, code, message] = ERRORS[reason];
  return new ApiError(status, code, message);
}
