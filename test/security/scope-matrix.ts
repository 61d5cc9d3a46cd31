import type { RouteScope } from '../../src/platform/auth/token-scope.js';

/** The scope that an API token needs for each route: a second copy, so that no route changes unnoticed. */
export const SCOPE_MATRIX: Record<RouteScope, string> = {
  account: `deleteAccount changePassword endSignIns listSessions endSession createApiToken listApiTokens revokeApiToken
    createExport getExport
    getTotp startTotp enableTotp disableTotp renewRecoveryCodes createPasskeyOptions addPasskey listPasskeys renamePasskey removePasskey
    listIdentities beginLink finishLink removeLink changeEmail askEmailVerification
    listModerationActions listAccounts getAccount listRelatedAccounts changeRole
    listSignUps approveSignUp rejectSignUp listInvites createInvite revokeInvite
    listCases getCase claimCase releaseCase dismissCase
    listRules createRule updateRule deleteRule listRuleHits
    getModeratedMedia createModerationAction getModerationSummary listAppeals decideAppeal listMyModeration createAppeal`,
  read: `
    listMyMedia getPostHtml getPostMeta renderMarkdown listPostRevisions getPostRevision diffPostRevision listDrafts getDraft previewDraft listDraftVersions getDraftVersion
    listPostsById listPostsByAuthor getPost getPostContent listMyPosts listComments getComment listCommentsById listCommentHtml listReplies listPostVotes
    listCommentVotes getPostSeries getCollection listCollectionPosts listMyCollections listCollections listCollectionsByUser listFeed listFollowingFeed listSaved listHidden listLiked listFollowedCollections
    searchAll listInteractions listRelationships listBlocks listMutes listFilters getViewer`,
  posts: `
    uploadMedia importMedia updateMedia deleteMedia revertPost deletePostRevision createDraft saveDraft deleteDraft publishDraft restoreDraft scheduleDraft unscheduleDraft shareDraft unshareDraft
    createPost updatePost deletePost lockPost unlockPost createCollection updateCollection deleteCollection
    putCollectionPost removeCollectionPost`,
  comments: `createComment editComment removeComment`,
  interactions: `
    votePost unvotePost savePost unsavePost hidePost unhidePost voteComment unvoteComment voteCollection unvoteCollection followCollection
    unfollowCollection followUser unfollowUser removeFollower blockUser unblockUser muteUser unmuteUser createFilter
    updateFilter deleteFilter recordPostEvent createReport`,
  notifications: `
    listNotifications getUnreadCount markNotificationsRead getNotificationSettings updateNotificationSettings markNotificationRead
    streamNotifications createStreamTicket getPushKey createPushSubscription listPushSubscriptions deletePushSubscription
    markNotificationUnread deleteNotification watchPost unwatchPost listWatches addBell removeBell listBells`,
  profile: `getMe updateProfile addFeaturedPost removeFeaturedPost`,
};
