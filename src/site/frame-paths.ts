/** Paths of the pages that mails link to. They run in the browser; `web/src/frames.ts` has their components. */
export const FRAME_PATHS: readonly string[] = [
  'forgot-password',
  'reset-password',
  'confirm-email',
  'undo-email',
  'appeal',
  'export',
  'exports/:id',
  'notifications',
  'following',
  'saved-posts',
  'moderation',
  'write',
  'write/:id',
  'drafts',
  'shared-drafts/:id',
];
