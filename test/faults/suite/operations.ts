import { RELATIONS } from './relations.js';
import { THINGS } from './things.js';

/** The operations that the writers of a fault run send. */
export const LEDGER_OPERATIONS: readonly string[] = [
  ...Object.values(RELATIONS).flatMap(({ operations }) => operations),
  ...Object.values(THINGS).flatMap(({ create, edit, remove }) => [create.operation, edit.operation, remove]),
  ...['publishDraft', 'restoreDraft', 'recordPostEvent'],
];

/** Why the writers do not send the others. */
export const NOT_IN_LEDGER: Record<string, readonly string[]> = {
  'A password costs 80 ms of CPU, so the accounts have tokens of the test. faults/login-storm signs in under faults.': [
    ...['register', 'login', 'refreshTokens', 'logout', 'changePassword', 'deleteAccount', 'endSignIns', 'endSession'],
    ...['createApiToken', 'revokeApiToken'],
  ],
  'Needs the key of a mail, an identity provider or a device for each write. e2e tests read their rows.': [
    ...['askPasswordReset', 'resetPassword', 'askEmailVerification', 'confirmEmail', 'changeEmail', 'undoEmailChange'],
    ...['exchangeCode', 'beginLink', 'finishLink', 'unlinkIdentity', 'signInWithSecondFactor'],
    ...['startTotp', 'enableTotp', 'disableTotp', 'renewRecoveryCodes'],
    ...['createPasskeyLoginOptions', 'signInWithPasskey', 'createPasskeyOptions', 'addPasskey', 'renamePasskey'],
    ...['deletePasskey', 'createAppealByMail', 'createExportByMail', 'unsubscribe'],
  ],
  'Changes or removes rows of other writers, whose states would be unknown.': [
    ...['createModerationAction', 'decideAppeal', 'claimCase', 'releaseCase', 'dismissCase', 'createReport'],
    ...['createAppeal', 'createRule', 'updateRule', 'deleteRule', 'updateTag', 'removeFollower'],
    ...['lockPost', 'unlockPost'],
  ],
  'A few writes by one administrator.': [
    ...[
      'createInvite',
      'revokeInvite',
      'changeRole',
      'approveSignUp',
      'rejectSignUp',
      'updateInstance',
      'setUpInstance',
    ],
  ],
  'Writes files, which the check does not compare.': [
    ...['uploadMedia', 'importMedia', 'updateMedia', 'deleteMedia', 'createExport'],
    ...['createImport', 'importAddress', 'deleteImport', 'publishImport'],
  ],
  'Sends requests to others; faults/webhook-kills has a ledger of the deliveries.': [
    ...['createWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'pingWebhook', 'redeliverWebhook'],
  ],
  'Depends on rows that the server writes some time after another write.': [
    ...['markNotificationsRead', 'markNotificationRead', 'markNotificationUnread', 'deleteNotification'],
    ...['createPushSubscription', 'deletePushSubscription', 'deletePostRevision', 'revertPost'],
    ...['giveFeedback', 'scheduleDraft', 'unscheduleDraft', 'shareDraft', 'unshareDraft'],
  ],
  'Writes nothing.': ['renderMarkdown', 'createStreamTicket'],
};
