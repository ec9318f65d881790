/** What a reader should know before the first operation. docs/api.md has the same at length, with recipes. */
export const INTRODUCTION = `
A JSON API for moving data in and out of a lead-calling service: invite users, create lists, create, read, find and search leads, record outcomes, read calls, and subscribe to what happens.

## Keys

Every request carries a key: \`Authorization: Token "<API_KEY>"\`. The key of the account may do everything; a user’s personal key may do what that user may. Keep both out of pages and repositories.

## Requests

Send \`Accept: application/json\` and \`Content-Type: application/json\`. Integers are also read as text (\`"28885"\`), booleans also as \`"true"\`, \`"false"\`, \`"1"\` and \`"0"\`. For an optional parameter \`null\` and \`""\` are the same as leaving it out. Members that are not known are ignored, except the keys of leads. Form bodies and bracketed queries (\`lead[comment]=…\`) are read like JSON.

## Answers

Times are UTC: \`2026-11-15T12:36:28.024Z\`. Resources name each other by paths such as \`/api/v2/leads/1\`, to be put behind the address of the account. New members may be added; none is removed or renamed.

## Errors

Every refusal has one shape: a sentence in \`error\`, a \`code\` for programs, the parameters at fault in \`errors\`, and a \`request_id\`. Beside what each operation names: an address that does not exist is 404, another method on a known one 405 with \`Allow\`, address and headers beyond 16 KiB are 431, and a request that does not come whole in time is 408.

## Limits

60 requests a minute and 300 in five, for each key, refused ones included. \`Ratelimit-Limit\`, \`Ratelimit-Remaining\` and \`Ratelimit-Reset\` tell where you stand; on 429 wait until \`Ratelimit-Reset\`, and longer each time it happens again.

## Pages

\`page\` and \`per_page\` (1 to 1,000). Follow \`Link: rel="next"\` until there is none: it visits each row exactly once while others are added. \`X-Total-Count\` is how many there are; calls and changed leads beyond 10,000 are not counted.

## Doing a thing once

Every POST takes an \`Idempotency-Key\`. When you do not know whether a request arrived, send it again with the same key: it has its effect once.
`.trim();
