/** Texts of `/drafts`. */
export const drafts = {
  title: 'Drafts and posts',
  write: 'Write',
  tabs: { drafts: 'Drafts', posts: 'Posts', trash: 'Trash' },
  noDrafts: 'You have no drafts.',
  noTrash: 'The trash is empty.',
  trashHint: 'Deleted posts stay here for 30 days. A restored post has its address, comments and votes again.',
  saved: 'Saved',
  deleted: 'Deleted',
  isEdit: 'changes a post',
  edit: 'Edit',
  show: { public: 'Show to everyone', unlisted: 'Unlist' },
  remove: 'Delete',
  confirmRemovePost: (title: string) => `Delete the post “${title}” with its comments and votes?`,
  restore: 'Restore',
  removeForever: 'Delete for ever',
  confirmRemoveForever: (title: string) => `Delete “${title}” for ever?`,
};
