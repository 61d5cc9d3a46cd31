import type { ComponentType } from 'preact';

type Loader = () => Promise<ComponentType>;

/**
 * Pages that run in the browser, by the first segment of their path: forms of accounts, for example. The server sends the same empty frame for each
 * (src/site/frame-paths.ts has the same paths), and `entry-client` renders the component into it.
 */
export const FRAMES: Record<string, Loader> = {
  '/sign-in': async () => (await import('./account/sign-in-page.js')).SignInPage,
  '/register': async () => (await import('./account/register-page.js')).RegisterPage,
  '/forgot-password': async () => (await tokenPages()).ForgotPassword,
  '/reset-password': async () => (await tokenPages()).ResetPassword,
  '/confirm-email': async () => (await tokenPages()).ConfirmEmail,
  '/undo-email': async () => (await tokenPages()).UndoEmail,
  '/appeal': async () => (await tokenPages()).AppealByMail,
  '/export': async () => (await tokenPages()).RequestExport,
  '/exports': async () => (await ownPages()).ExportPage,
  '/notifications': async () => (await import('./account/notifications-page.js')).NotificationsPage,
  '/for-you': async () => (await import('./viewer/for-you.js')).ForYouPage,
  '/following': async () => (await ownLists()).FollowingPage,
  '/saved-posts': async () => (await ownLists()).SavedPage,
  // Mails link to `#action=`, also those to moderators.
  '/moderation': async () =>
    location.hash.startsWith('#action=')
      ? (await ownPages()).OwnModeration
      : (await import('./moderation/moderation-page.js')).ModerationPage,
  '/welcome': async () => (await welcomePages()).WelcomePage,
  '/site-settings': async () => (await welcomePages()).SiteSettingsPage,
  '/operations': async () => (await import('./operations/operations-page.js')).OperationsPage,
  '/settings': async () => (await import('./settings/settings-page.js')).SettingsPage,
  '/write': async () => (await import('./editor/write-page.js')).WritePage,
  '/drafts': async () => (await import('./editor/drafts-page.js')).DraftsPage,
  '/stats': async () => (await import('./stats/stats-page.js')).StatsPage,
  '/shared-drafts': async () => (await import('./editor/shared-draft-page.js')).SharedDraftPage,
};

const tokenPages = () => import('./account/token-pages.js');
const welcomePages = () => import('./account/welcome-page.js');
const ownLists = () => import('./viewer/own-lists.js');
const ownPages = () => import('./account/own-pages.js');
