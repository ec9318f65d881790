/**
 * Asks for all that wait at the same moment together: while one question is under way, the next is filled. Under load this saves a
 * statement a request, and rows that everybody counts in are not queued for, a transaction each.
 */
export function inBatches<Question, Answer>(
  askMany: (questions: Question[]) => Promise<Answer[]>,
  most = 500,
): (question: Question) => Promise<Answer> {
  const waiting: { question: Question; answer: (answer: Answer) => void; fail: (error: unknown) => void }[] = [];
  let asking = false;

  const ask = async () => {
    asking = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, most);
      try {
        const answers = await askMany(batch.map(({ question }) => question));
        for (const [index, { answer }] of batch.entries()) answer(answers[index]!);
      } catch (error) {
        for (const { fail } of batch) fail(error);
      }
    }
    asking = false;
  };
  return (question) =>
    new Promise((answer, fail) => {
      waiting.push({ question, answer, fail });
      if (!asking) void ask();
    });
}
