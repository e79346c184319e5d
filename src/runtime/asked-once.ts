/** Asks each question of one moment once, where an answer costs much: whether a channel is listed weighs its permissions. */
export function askedOnce<Q, A>(ask: (question: Q) => A): (question: Q) => A {
  const answers = new Map<Q, A>();
  return (question) => {
    if (answers.has(question)) return answers.get(question)!;
    const answer = ask(question);
    answers.set(question, answer);
    return answer;
  };
}
