/** Texts about what belongs to the reader. */
export const viewer = {
  like: 'Like',
  save: 'Save',
  saved: 'Saved',
  hide: 'Hide',
  hidden: 'Your lists no longer show this post.',
  undo: 'Show it again',
  close: 'Close',
  failed: (detail: string, requestId: string) => `${detail} (request ${requestId})`,
  offline: 'The server could not be reached. Nothing was changed: try again.',
  more: 'More',
  followingTitle: 'Following',
  followingEmpty: 'Follow people to read their posts here.',
  savedTitle: 'Saved posts',
  savedEmpty: 'You have saved no posts.',
  markRead: 'Mark as read',
  unreadTitle: (count: number, title: string) => `(${count}) ${title}`,
};
