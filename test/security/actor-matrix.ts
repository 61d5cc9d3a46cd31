/**
 * Everything that runs without a request: the topics of tasks, the scheduled jobs, the handlers of facts and the consumers of messages.
 * `acts for` is the account for which it writes or sends something, with the result for a suspended and a banned account.
 * `-`: it only continues a write that was allowed, or keeps the data of the site in order.
 */
const TABLE = `
operation                    | acts for     | good suspended banned
-- tasks
task account.ended           | -            |
task author.changed          | -            |
task collection.deleted      | -            |
task collection.removal-expired | -         |
task comment.deleted         | -            |
task comment.removal-expired | -            |
task content.flagged         | -            |
task draft.due               | the author   | yes  no        no
task draft.expired           | -            |
task draft.removed           | -            |
task draft.revised           | -            |
task export.expired          | -            |
-- about the account itself
task export.requested        | the owner    | yes  yes       yes
task import.expired          | -            |
-- makes drafts, or publishes them
task import.started          | the author   | yes  no        no
-- a notification or digest; mails about the account itself go to banned accounts, too
task mail                    | the reader   | yes  yes       no
-- about the account itself
task password-reset.asked    | the owner    | yes  yes       yes
task post.backdated          | -            |
task post.deleted            | -            |
task post.hidden             | -            |
-- only while the post is listed
task post.listed             | -            |
task post.removal-expired    | -            |
task post.revised            | -            |
task push                    | the reader   | yes  yes       no
task standing.changed        | -            |
task timeline.closed         | -            |
task timeline.follow         | -            |
task timeline.opened         | -            |
task webhook.deleted         | -            |
-- to a program of the account
task webhook.delivery        | the owner    | yes  yes       no
-- jobs
job activity                 | -            |
job counter sample           | -            |
job digests                  | the reader   | yes  yes       no
job stat months              | -            |
job score                    | -            |
job site days                | -            |
job event days               | -            |
job media                    | -            |
job received likes           | -            |
job tag counts               | -            |
job tasks                    | -            |
job writer lists             | -            |
-- facts: an action that was allowed is counted
facts day stats              | -            |
-- facts: mails for the account about what others do
facts notifications          | the reader   | yes  yes       no
-- only adds deliveries, which the task checks
facts webhooks               | -            |
-- messages: a read that weighs as one of an account
message event                | the reader   | yes  yes       no
`;

export type ActorRow = { operation: string; actsFor: string; expected: Record<string, string> };

export const STANDINGS = ['good', 'suspended', 'banned'] as const;

export const ACTOR_MATRIX: ActorRow[] = TABLE.trim()
  .split('\n')
  .slice(1)
  .filter((line) => !line.startsWith('--'))
  .map((line) => {
    const [operation, actsFor, results] = line.split('|').map((cell) => cell.trim()) as [string, string, string];
    const values = results.split(/\s+/);
    return { operation, actsFor, expected: Object.fromEntries(STANDINGS.map((name, at) => [name, values[at] ?? ''])) };
  });
