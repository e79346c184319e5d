import type { Json, Poll } from '../../model/message.ts';
import type { Snowflake } from '../../model/snowflakes.ts';

export function pollPayload(poll: Poll, viewerId: Snowflake): Json {
  return {
    question: { text: poll.question },
    answers: poll.answers.map(({ id, text, emoji }) => ({
      answer_id: id,
      poll_media: { text, ...(emoji === null ? {} : { emoji }) },
    })),
    expiry: new Date(poll.endsAtMs).toISOString(),
    allow_multiselect: poll.manyAnswers,
    layout_type: 1,
    results: {
      is_finalized: poll.isOver,
      answer_counts: poll.answers.map(({ id, voterIds }) => ({
        id,
        count: voterIds.size,
        me_voted: voterIds.has(viewerId),
      })),
    },
  };
}
