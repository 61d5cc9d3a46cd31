import type { Subject } from './subjects.js';

/**
 * The callers of each route. `owner` created the subject; `other`, `moderator` and `admin` did not. `ended` has an unexpired token of
 * a deleted account. `forged` stands for every kind of invalid token. Rows of one route differ in the subject.
 */
export const CALLERS = ['anonymous', 'other', 'owner', 'moderator', 'admin', 'ended', 'forged'] as const;
export type Caller = (typeof CALLERS)[number];

const TABLE = `
operation          | subject                | anonymous other owner moderator admin ended forged
-- everybody; credentials are not even read
getFeed            | -                      | 200 200 200 200 200 200 200
getAuthorFeed      | -                      | 200 200 200 200 200 200 200
getTagFeed         | -                      | 200 200 200 200 200 200 200
getCollectionFeed  | public list            | 200 200 200 200 200 200 200
getCollectionFeed  | private list           | 404 404 404 404 404 404 404
getPostPage        | public post            | 200 200 200 200 200 200 200
getPostPage        | hidden post            | 404 404 404 404 404 404 404
getPostPage        | deleted post           | 404 404 404 404 404 404 404
getRobots          | -                      | 200 200 200 200 200 200 200
getSitemapIndex    | -                      | 200 200 200 200 200 200 200
-- everybody; of these examples there is nothing
getSitemapFile     | -                      | 404 404 404 404 404 404 404
getTagSitemap      | -                      | 404 404 404 404 404 404 404
getOembed          | -                      | 404 404 404 404 404 404 404
getUnsubscribePage | -                      | 404 404 404 404 404 404 404
unsubscribe        | -                      | 404 404 404 404 404 404 404
-- everybody; credentials are not even read
getUser            | -                      | 200 200 200 200 200 200 200
listUsersById      | -                      | 200 200 200 200 200 200 200
getSharedDraft     | draft                  | 200 200 200 200 200 200 200
listTopWriters     | -                      | 200 200 200 200 200 200 200
listFeaturedPosts  | -                      | 200 200 200 200 200 200 200
listFollowers      | -                      | 200 200 200 200 200 200 200
listFollowing      | -                      | 200 200 200 200 200 200 200
listCollections    | -                      | 200 200 200 200 200 401 401
listCollectionsByUser | -                   | 200 200 200 200 200 401 401
suggestWords       | -                      | 200 200 200 200 200 200 200
getInstance        | -                      | 200 200 200 200 200 200 200
-- here the log of moderation is private
listPublicActions  | -                      | 404 404 404 404 404 404 404
-- everybody; credentials are not even read
listProviders      | -                      | 200 200 200 200 200 200 200
getLiveness        | -                      | 200 200 200 200 200 200 200
getReadiness       | -                      | 200 200 200 200 200 200 200
getMetrics         | -                      | 200 200 200 200 200 200 200
register           | -                      | 201 201 201 201 201 201 201
login              | -                      | 200 200 200 200 200 200 200
refreshTokens      | -                      | 200 200 200 200 200 200 200
logout             | -                      | 204 204 204 204 204 204 204
askPasswordReset   | -                      | 202 202 202 202 202 202 202
-- the holder of the token of a mail; this one is of none
resetPassword      | -                      | 400 400 400 400 400 400 400
confirmEmail       | -                      | 400 400 400 400 400 400 400
undoEmailChange    | -                      | 400 400 400 400 400 400 400
createAppealByMail | -                      | 400 400 400 400 400 400 400
createExportByMail | -                      | 400 400 400 400 400 400 400
-- here no provider is configured, and the code is not known
startProviderSignIn | -                     | 404 404 404 404 404 404 404
finishProviderSignIn | -                    | 404 404 404 404 404 404 404
exchangeCode       | -                      | 400 400 400 400 400 400 400
createPasskeyLoginOptions | -               | 200 200 200 200 200 200 200
-- everybody who has begun, or has a passkey; these have not
signInWithSecondFactor | -                  | 401 401 401 401 401 401 401
signInWithPasskey  | -                      | 401 401 401 401 401 401 401
-- the holder of the link; this one is of none
getExportFile      | export                 | 403 403 403 403 403 403 403
-- the holder of a ticket; this one is of none
openEventSource    | -                      | 401 401 401 401 401 401 401
-- everybody who has the address of one
getMediaFile       | picture                | 200 200 200 200 200 200 200
-- everybody, and a token is honored
listFeed           | -                      | 200 200 200 200 200 401 401
listPostsByAuthor  | -                      | 200 200 200 200 200 401 401
searchAll          | -                      | 200 200 200 200 200 401 401
listPostsById      | -                      | 200 200 200 200 200 401 401
getPost            | public post            | 200 200 200 200 200 401 401
getPost            | hidden post            | 404 404 200 200 200 401 401
getPost            | deleted post           | 404 404 404 404 404 401 401
listPostRevisions  | edited post            | 403 403 200 200 200 401 401
getPostRevision    | edited post            | 403 403 200 200 200 401 401
diffPostRevision   | edited post            | 403 403 200 200 200 401 401
getPostContent     | public post            | 200 200 200 200 200 401 401
getPostContent     | hidden post            | 404 404 200 200 200 401 401
getPostContent     | deleted post           | 404 404 404 404 404 401 401
getPostHtml        | public post            | 200 200 200 200 200 401 401
getPostHtml        | hidden post            | 404 404 200 200 200 401 401
getPostHtml        | deleted post           | 404 404 404 404 404 401 401
getPostMeta        | public post            | 200 200 200 200 200 401 401
getPostMeta        | hidden post            | 404 404 200 200 200 401 401
getPostMeta        | deleted post           | 404 404 404 404 404 401 401
recordPostEvent    | public post            | 200 200 200 200 200 401 401
recordPostEvent    | hidden post            | 404 404 200 404 404 401 401
recordPostEvent    | deleted post           | 404 404 404 404 404 401 401
listComments       | public post            | 200 200 200 200 200 401 401
listComments       | hidden post            | 404 404 200 200 200 401 401
listComments       | deleted post           | 404 404 404 404 404 401 401
getComment         | comment                | 200 200 200 200 200 401 401
getComment         | comment on hidden post | 404 404 200 200 200 401 401
getComment         | deleted comment        | 404 404 404 404 404 401 401
listCommentsById   | -                      | 200 200 200 200 200 401 401
listCommentHtml    | -                      | 200 200 200 200 200 401 401
listReplies        | comment                | 200 200 200 200 200 401 401
listReplies        | comment on hidden post | 404 404 200 200 200 401 401
listReplies        | deleted comment        | 404 404 404 404 404 401 401
listPostVotes      | public post            | 200 200 200 200 200 401 401
listPostVotes      | hidden post            | 404 404 200 200 200 401 401
listPostVotes      | deleted post           | 404 404 404 404 404 401 401
listCommentVotes   | comment                | 200 200 200 200 200 401 401
listCommentVotes   | comment on hidden post | 404 404 200 200 200 401 401
listCommentVotes   | deleted comment        | 404 404 404 404 404 401 401
getPostSeries      | public post            | 404 404 404 404 404 401 401
getPostSeries      | public series          | 200 200 200 200 200 401 401
getPostSeries      | private series         | 404 404 200 200 200 401 401
getCollection      | public list            | 200 200 200 200 200 401 401
getCollection      | private list           | 404 404 200 200 200 401 401
getCollection      | deleted list           | 404 404 404 404 404 401 401
listCollectionPosts | public list           | 200 200 200 200 200 401 401
listCollectionPosts | private list          | 404 404 200 200 200 401 401
listCollectionPosts | deleted list          | 404 404 404 404 404 401 401
-- every signed-in account, about itself
getMe              | -                      | 401 200 200 200 200 401 401
updateProfile      | -                      | 401 200 200 200 200 401 401
deleteAccount      | -                      | 401 204 204 204 204 401 401
changePassword     | -                      | 401 204 204 204 204 401 401
changeEmail        | -                      | 401 202 202 202 202 401 401
askEmailVerification | -                    | 401 202 202 202 202 401 401
endSignIns         | -                      | 401 204 204 204 204 401 401
listIdentities     | -                      | 401 200 200 200 200 401 401
beginLink          | -                      | 401 404 404 404 404 401 401
finishLink         | -                      | 401 404 404 404 404 401 401
removeLink         | -                      | 401 404 404 404 404 401 401
startTotp          | -                      | 401 201 201 201 201 401 401
createPasskeyOptions | -                    | 401 200 200 200 200 401 401
listPasskeys       | -                      | 401 200 200 200 200 401 401
-- the same; what they send is of no app and no authenticator
getTotp            | -                      | 401 200 200 200 200 401 401
enableTotp         | -                      | 401 400 400 400 400 401 401
disableTotp        | -                      | 401 409 409 409 409 401 401
renewRecoveryCodes | -                      | 401 409 409 409 409 401 401
addPasskey         | -                      | 401 400 400 400 400 401 401
renamePasskey      | passkey                | 401 404 200 404 404 401 401
removePasskey      | passkey                | 401 404 204 404 404 401 401
-- every signed-in account, about itself
createApiToken     | -                      | 401 201 201 201 201 401 401
listApiTokens      | -                      | 401 200 200 200 200 401 401
createExport       | -                      | 401 202 202 202 202 401 401
listSessions       | -                      | 401 200 200 200 200 401 401
listNotifications  | -                      | 401 200 200 200 200 401 401
getUnreadCount     | -                      | 401 200 200 200 200 401 401
streamNotifications | -                     | 401 200 200 200 200 401 401
createStreamTicket | -                      | 401 201 201 201 201 401 401
listPushSubscriptions | -                   | 401 200 200 200 200 401 401
deletePushSubscription | -                  | 401 204 204 204 204 401 401
-- here Web Push is not configured
getPushKey         | -                      | 401 404 404 404 404 401 401
createPushSubscription | -                  | 401 404 404 404 404 401 401
getNotificationSettings | -                 | 401 200 200 200 200 401 401
updateNotificationSettings | -              | 401 200 200 200 200 401 401
-- the id is the owner's
markNotificationsRead | notification        | 401 400 200 400 400 401 401
markNotificationRead | notification         | 401 404 204 404 404 401 401
markNotificationUnread | notification       | 401 404 204 404 404 401 401
deleteNotification | notification           | 401 404 204 404 404 401 401
-- every reader of it
watchPost          | public post            | 401 204 204 204 204 401 401
watchPost          | hidden post            | 401 404 204 204 204 401 401
watchPost          | deleted post           | 401 404 404 404 404 401 401
unwatchPost        | public post            | 401 204 204 204 204 401 401
unwatchPost        | deleted post           | 401 204 204 204 204 401 401
-- no bell for oneself
addBell            | -                      | 401 204 400 204 204 401 401
removeBell         | -                      | 401 204 204 204 204 401 401
-- every signed-in account, about itself
listFollowingFeed  | -                      | 401 200 200 200 200 401 401
listMyPosts        | -                      | 401 200 200 200 200 401 401
listMyModeration   | -                      | 401 200 200 200 200 401 401
listSaved          | -                      | 401 200 200 200 200 401 401
listHidden         | -                      | 401 200 200 200 200 401 401
listLiked          | -                      | 401 200 200 200 200 401 401
listFollowedCollections | -                 | 401 200 200 200 200 401 401
listInteractions   | -                      | 401 200 200 200 200 401 401
listRelationships  | -                      | 401 200 200 200 200 401 401
getViewer          | -                      | 401 200 200 200 200 401 401
listMyCollections  | -                      | 401 200 200 200 200 401 401
createCollection   | -                      | 401 201 201 201 201 401 401
renderMarkdown     | -                      | 401 200 200 200 200 401 401
listDrafts         | -                      | 401 200 200 200 200 401 401
createDraft        | -                      | 401 201 201 201 201 401 401
createPost         | -                      | 401 201 201 201 201 401 401
uploadMedia        | -                      | 401 201 201 201 201 401 401
listMyMedia        | -                      | 401 200 200 200 200 401 401
-- what it names is asked for by no server of ours
importMedia        | -                      | 401 400 400 400 400 401 401
-- an account cannot follow itself
followUser         | -                      | 401 200 400 200 200 401 401
unfollowUser       | -                      | 401 200 400 200 200 401 401
removeFollower     | -                      | 401 200 400 200 200 401 401
-- an account cannot block itself
blockUser          | -                      | 401 200 400 200 200 401 401
unblockUser        | -                      | 401 200 400 200 200 401 401
muteUser           | -                      | 401 200 400 200 200 401 401
unmuteUser         | -                      | 401 200 400 200 200 401 401
-- every signed-in account, about itself
listBlocks         | -                      | 401 200 200 200 200 401 401
listMutes          | -                      | 401 200 200 200 200 401 401
listBells          | -                      | 401 200 200 200 200 401 401
listWatches        | -                      | 401 200 200 200 200 401 401
listFilters        | -                      | 401 200 200 200 200 401 401
createFilter       | -                      | 401 201 201 201 201 401 401
-- every reader of it
createComment      | public post            | 401 201 201 201 201 401 401
createComment      | hidden post            | 401 404 201 404 404 401 401
createComment      | deleted post           | 401 404 404 404 404 401 401
votePost           | public post            | 401 200 200 200 200 401 401
votePost           | hidden post            | 401 404 200 404 404 401 401
votePost           | deleted post           | 401 404 404 404 404 401 401
unvotePost         | public post            | 401 200 200 200 200 401 401
unvotePost         | hidden post            | 401 200 200 200 200 401 401
savePost           | public post            | 401 200 200 200 200 401 401
savePost           | hidden post            | 401 404 200 404 404 401 401
unsavePost         | public post            | 401 200 200 200 200 401 401
unsavePost         | hidden post            | 401 200 200 200 200 401 401
hidePost           | public post            | 401 200 200 200 200 401 401
hidePost           | hidden post            | 401 404 200 200 200 401 401
hidePost           | deleted post           | 401 404 404 404 404 401 401
unhidePost         | public post            | 401 200 200 200 200 401 401
unhidePost         | hidden post            | 401 200 200 200 200 401 401
voteComment        | comment                | 401 200 200 200 200 401 401
voteComment        | comment on hidden post | 401 404 200 404 404 401 401
voteComment        | deleted comment        | 401 404 404 404 404 401 401
unvoteComment      | comment                | 401 200 200 200 200 401 401
unvoteComment      | comment on hidden post | 401 200 200 200 200 401 401
voteCollection     | public list            | 401 200 200 200 200 401 401
voteCollection     | private list           | 401 404 200 404 404 401 401
voteCollection     | deleted list           | 401 404 404 404 404 401 401
unvoteCollection   | public list            | 401 200 200 200 200 401 401
unvoteCollection   | private list           | 401 200 200 200 200 401 401
followCollection   | public list            | 401 200 200 200 200 401 401
followCollection   | private list           | 401 404 200 404 404 401 401
followCollection   | deleted list           | 401 404 404 404 404 401 401
unfollowCollection | public list            | 401 200 200 200 200 401 401
unfollowCollection | private list           | 401 200 200 200 200 401 401
-- every reader of it except its author
createReport       | public post            | 401 201 403 201 201 401 401
createReport       | hidden post            | 401 404 403 201 201 401 401
createReport       | deleted post           | 401 404 404 404 404 401 401
-- the owner of the content that was acted on
createAppeal       | action                 | 401 404 201 404 404 401 401
createAppeal       | appeal                 | 401 404 409 404 404 401 401
createAppeal       | -                      | 401 404 404 404 404 401 401
-- its owner alone; moderators may see it
updateCollection   | public list            | 401 403 200 403 403 401 401
updateCollection   | private list           | 401 404 200 403 403 401 401
updateCollection   | deleted list           | 401 404 404 404 404 401 401
putCollectionPost  | public list            | 401 403 200 403 403 401 401
putCollectionPost  | private list           | 401 404 200 403 403 401 401
putCollectionPost  | deleted list           | 401 404 404 404 404 401 401
removeCollectionPost | public list          | 401 403 200 403 403 401 401
removeCollectionPost | private list         | 401 404 200 403 403 401 401
removeCollectionPost | deleted list         | 401 404 404 404 404 401 401
-- its owner alone
getDraft           | draft                  | 401 404 200 404 404 401 401
previewDraft       | draft                  | 401 404 200 404 404 401 401
saveDraft          | draft                  | 401 404 200 404 404 401 401
deleteDraft        | draft                  | 401 404 204 404 404 401 401
listDraftVersions  | draft                  | 401 404 200 404 404 401 401
getDraftVersion    | draft                  | 401 404 200 404 404 401 401
publishDraft       | draft                  | 401 404 201 404 404 401 401
restoreDraft       | trashed draft          | 401 404 201 404 404 401 401
restoreDraft       | draft                  | 401 404 404 404 404 401 401
publishDraft       | trashed draft          | 401 404 404 404 404 401 401
scheduleDraft      | draft                  | 401 404 200 404 404 401 401
unscheduleDraft    | draft                  | 401 404 200 404 404 401 401
shareDraft         | draft                  | 401 404 200 404 404 401 401
unshareDraft       | draft                  | 401 404 204 404 404 401 401
revertPost         | edited post            | 401 403 200 403 403 401 401
deletePostRevision | edited post            | 401 403 204 403 403 401 401
updateMedia        | picture                | 401 404 200 404 404 401 401
deleteMedia        | picture                | 401 404 204 404 404 401 401
getExport          | export                 | 401 404 200 404 404 401 401
revokeApiToken     | API token              | 401 404 204 404 404 401 401
updateFilter       | filter                 | 401 404 200 404 404 401 401
deleteFilter       | filter                 | 401 404 204 404 404 401 401
endSession         | sign-in                | 401 404 204 404 404 401 401
endSession         | ended sign-in          | 401 404 404 404 404 401 401
updatePost         | public post            | 401 403 200 403 403 401 401
updatePost         | hidden post            | 401 404 200 403 403 401 401
updatePost         | deleted post           | 401 404 404 404 404 401 401
addFeaturedPost    | public post            | 401 403 200 403 403 401 401
addFeaturedPost    | hidden post            | 401 404 409 403 403 401 401
removeFeaturedPost | public post            | 401 200 200 200 200 401 401
editComment        | comment                | 401 403 200 403 403 401 401
editComment        | comment on hidden post | 401 404 200 403 403 401 401
editComment        | deleted comment        | 401 404 404 404 404 401 401
-- moderators; roles are for admins
listModerationActions | -                   | 401 403 403 200 200 401 401
listAccounts       | -                      | 401 403 403 200 200 401 401
getAccount         | account                | 401 403 403 200 200 401 401
getAccount         | -                      | 401 403 403 404 404 401 401
listRelatedAccounts | account               | 401 403 403 200 200 401 401
listRelatedAccounts | -                     | 401 403 403 404 404 401 401
listSignUps        | -                      | 401 403 403 200 200 401 401
approveSignUp      | sign-up                | 401 403 403 204 204 401 401
rejectSignUp       | sign-up                | 401 403 403 204 204 401 401
rejectSignUp       | -                      | 401 403 403 404 404 401 401
listCases          | -                      | 401 403 403 200 200 401 401
getCase            | case                   | 401 403 403 200 200 401 401
getCase            | -                      | 401 403 403 404 404 401 401
claimCase          | case                   | 401 403 403 200 200 401 401
releaseCase        | case                   | 401 403 403 204 204 401 401
dismissCase        | case                   | 401 403 403 204 204 401 401
getModeratedMedia  | picture                | 401 403 403 200 200 401 401
getModeratedMedia  | -                      | 401 403 403 404 404 401 401
createModerationAction | public post        | 401 403 403 201 201 401 401
createModerationAction | deleted post       | 401 403 403 404 404 401 401
getModerationSummary | -                    | 401 403 403 200 200 401 401
listAppeals        | -                      | 401 403 403 200 200 401 401
decideAppeal       | appeal                 | 401 403 403 204 204 401 401
decideAppeal       | -                      | 401 403 403 404 404 401 401
listRules          | -                      | 401 403 403 403 200 401 401
createRule         | -                      | 401 403 403 403 201 401 401
updateRule         | rule                   | 401 403 403 403 200 401 401
updateRule         | -                      | 401 403 403 403 404 401 401
deleteRule         | rule                   | 401 403 403 403 204 401 401
deleteRule         | -                      | 401 403 403 403 404 401 401
listRuleHits       | rule                   | 401 403 403 403 200 401 401
listRuleHits       | -                      | 401 403 403 403 404 401 401
changeRole         | account                | 401 403 403 403 204 401 401
changeRole         | -                      | 401 403 403 403 404 401 401
-- every account; here members have no invites
listInvites        | -                      | 401 200 200 200 200 401 401
createInvite       | -                      | 401 403 403 403 201 401 401
revokeInvite       | invite                 | 401 404 204 404 204 401 401
-- its owner; moderators act with createModerationAction
lockPost           | public post            | 401 403 200 403 403 401 401
lockPost           | hidden post            | 401 404 200 403 403 401 401
lockPost           | deleted post           | 401 404 404 404 404 401 401
unlockPost         | public post            | 401 403 200 403 403 401 401
unlockPost         | hidden post            | 401 404 200 403 403 401 401
unlockPost         | deleted post           | 401 404 404 404 404 401 401
deletePost         | public post            | 401 403 204 403 403 401 401
deletePost         | hidden post            | 401 404 204 403 403 401 401
deletePost         | deleted post           | 401 404 404 404 404 401 401
deleteCollection   | public list            | 401 403 204 403 403 401 401
deleteCollection   | private list           | 401 404 204 403 403 401 401
deleteCollection   | deleted list           | 401 404 404 404 404 401 401
removeComment      | comment                | 401 403 204 403 403 401 401
removeComment      | comment on hidden post | 401 404 204 403 403 401 401
removeComment      | deleted comment        | 401 404 404 404 404 401 401
`;

export type MatrixRow = { operation: string; subject: Subject; expected: Record<Caller, number> };

export const ACCESS_MATRIX: MatrixRow[] = TABLE.trim()
  .split('\n')
  .slice(1)
  .filter((line) => !line.startsWith('--'))
  .map((line) => {
    const [operation, subject, statuses] = line.split('|').map((cell) => cell.trim());
    const numbers = statuses!.split(/\s+/).map(Number);
    if (numbers.length !== CALLERS.length) throw new Error(`this row has ${numbers.length} statuses: ${line}`);
    const expected = Object.fromEntries(CALLERS.map((caller, at) => [caller, numbers[at]!])) as Record<Caller, number>;
    return { operation: operation!, subject: subject as Subject, expected };
  });
