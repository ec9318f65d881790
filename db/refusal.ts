/** Something the operator has to change. The command line prints the sentence alone, without a stack. */
export class Refusal extends Error {
  override name = 'Refusal';
}
