/** Ids and names in the examples of the OpenAPI document. The seeds create these rows, so that every example works with demo data. */
export const EXAMPLE = {
  username: 'demo_writer',
  password: 'opencanvas-demo-2025',
  /** of the demo writer, and of the demo reader */
  userIds: ['6650c3a2f1d2b3c4d5e6f701', '6650c3a2f1d2b3c4d5e6f709'],
  postId: '6650c3a2f1d2b3c4d5e6f708',
  postTitle: 'Notes on the Analytical Engine',
  commentId: '6650c3a2f1d2b3c4d5e6f70b',
  collectionId: '6650c3a2f1d2b3c4d5e6f70a',
  collectionTitle: 'Looms and engines',
  draftId: '6650c3a2f1d2b3c4d5e6f70d',
  trashedDraftId: '6650c3a2f1d2b3c4d5e6f70e',
  /** of a link to the draft */
  draftKey: '3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s',
  /** a warning of the demo writer, without an appeal */
  actionId: '6650c3a2f1d2b3c4d5e6f7b0',
  /** a warning of the demo writer, with an open appeal */
  appealedActionId: '6650c3a2f1d2b3c4d5e6f7af',
  /** a dry run */
  ruleId: '6650c3a2f1d2b3c4d5e6f7c0',
  exportId: '6650c3a2f1d2b3c4d5e6f70c',
  importId: '6650c3a2f1d2b3c4d5e6f70f',
  webhookId: '6650c3a2f1d2b3c4d5e6f7d0',
  webhookDeliveryId: '6650c3a2f1d2b3c4d5e6f7d1',
  mediaId: '6650c3a2f1d2b3c4d5e6f70c',
  mediaSecret: '9f86d081884c7d65',
  /** notifies the author of the published post */
  notificationId: 'ZlDDovHSs8TV5vcBCWZQw6Lx0rPE1eb3CE2b',
  /** no mail contains this token */
  unsubscribeToken: 'Yk3q0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2sYk3q0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s',
  tag: 'mathematics',
  /** of the post: the time in its id */
  month: '2024-05',
} as const;
