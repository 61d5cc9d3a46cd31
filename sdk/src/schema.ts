// Written by `npm run sdk:types` from docs/openapi.json.
import type { Problem } from "./problem.js";
export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process runs
         * @description Responds while the process runs. It does not ask the database, so an outage of the database restarts no process.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process serves
         * @description Responds with 200 while MongoDB responds and the process is not shutting down.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get Prometheus metrics
         * @description Metrics of all processes of the host, at most a second old. Only networks in `HTTP_METRICS` may read them.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of the server
         * @description For admins. Figures of all processes of the host that responds, from the same metrics as `/metrics`; requests to this route do not count. Rates are of the time between the last two requests, at most a minute; the first response takes a second.
         */
        get: operations["getOperationsSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the feed
         * @description Public posts by score (`hot`), by time (`latest`), by likes (`top`), by likes an hour (`rising`) or by comments (`discussed`), filtered by tag, type or author. A signed-in reader gets none that the reader blocks, mutes, hides or filters.
         */
        get: operations["listFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feed/following": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List posts of accounts and tags I follow
         * @description Newest first; a post of both once. With more than 200 followed accounts, a page that must be merged counts as one read for every 200 of them.
         */
        get: operations["listFollowingFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feed/for-you": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List posts for me
         * @description Posts of accounts and tags that you follow, posts that these accounts like, posts similar to your likes, and popular posts, each with its reason; none that you wrote or voted on, and at most two of the same author in any 20. The pages of a first page stay the same for 30 minutes. With `personalised: false` in your settings, the hot feed.
         */
        get: operations["listForYou"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feed/for-you/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Request more or less like a post
         * @description Idempotent; replaces earlier feedback on the post. The latest 100 posts count. The author is not informed, and no count changes.
         */
        put: operations["giveFeedback"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an account
         * @description Returns tokens and the account, and sends a mail to confirm the address. `Location` is the public profile. A network can create a few accounts an hour (`rate_limited`). `GET /v1/instance` says who may register.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with username or e-mail address
         * @description An unknown account and a wrong password get the same response after the same time. With a second factor, the correct password gets `second_factor_required` and an `mfaToken` for `POST /v1/auth/login/second-factor`.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Refresh tokens
         * @description A refresh token is used once. Repeated within 30 seconds, the request returns the same next token. Reuse after that revokes the session and all its tokens. With `cookie`, the token of the cookie is used, and stays valid until the access token of its first use expires.
         */
        post: operations["refreshTokens"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description Revokes the session of the refresh token, with its access tokens. An unknown token gets the same response. With `cookie`, removes the cookie and revokes its session.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get my account
         * @description Includes what only the owner sees: e-mail address and settings.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change my password
         * @description Revokes all other sessions and sends the owner a mail. A wrong `currentPassword` is named in `errors` of `invalid_credentials`.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete my account
         * @description Deletes the profile, posts, comments, votes, saves and follows for good, and revokes all tokens. The username stays reserved; the e-mail address can be used again. A wrong `password` is named in `errors` of `invalid_credentials`.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        /**
         * Update my profile
         * @description Omitted fields stay unchanged. A new username, name or image reaches posts and comments in the background; an earlier username redirects to the profile. `If-Match` takes the ETag of `GET /v1/auth/me`.
         */
        patch: operations["updateProfile"];
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my active sessions
         * @description Most recently used first, at most 100. An access token can outlive its expired session by minutes.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /**
         * Revoke all my sessions
         * @description Revokes every session and its tokens, including the current one unless `keepCurrent` is set.
         */
        delete: operations["endSignIns"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a session
         * @description Revokes the session and its tokens: every host rejects them within 1.5 seconds.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reset the password
         * @description Send the token from the mail. Revokes all sessions and API tokens, and verifies the e-mail address.
         */
        put: operations["resetPassword"];
        /**
         * Request a password reset
         * @description The response is the same whether or not an account has this address. The mail is valid for an hour; an address gets at most five an hour. An account without a password can set one this way.
         */
        post: operations["askPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email-verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Confirm an e-mail address
         * @description Send the token from the mail; no sign-in is needed. A pending change of the address takes effect. Refresh the access token: it says whether the address is verified.
         */
        put: operations["confirmEmail"];
        /**
         * Request an address confirmation
         * @description Sends the mail again that a new account gets. A verified address gets none.
         */
        post: operations["askEmailVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change my e-mail address
         * @description Sends a mail to the new address; the change takes effect when its token is confirmed. The previous, verified address can undo it for 72 hours, and the next change has to wait as long. The response is the same when another account has the address.
         */
        put: operations["changeEmail"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Undo a change of the e-mail address
         * @description Restores the previous e-mail address and signs out everywhere. For owners whose account was taken over: the password is void, and sign-in methods that were added since the day before the change are removed.
         */
        put: operations["undoEmailChange"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sign-in providers
         * @description The providers that the operator has configured, by name.
         */
        get: operations["listProviders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/oidc/{provider}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Start a sign-in with a provider
         * @description Open it in the browser. It returns to `returnTo` with `?code=`, for `POST /v1/auth/exchange` (once, within 60 seconds), or with `?error=`: `access_denied` (the user denied access), `provider_unavailable` (the provider does not respond), `invalid_response` (the response does not match the request, or was used before), `email_not_verified` (the provider vouches for no e-mail address), `email_taken` (an account has this e-mail address: sign in to it, and link the provider there), `mail_domain_refused` (the site accepts no new account with an address of this domain), `registration_closed` (the site accepts no new accounts), `invalid_invite` (a new account needs a valid invite), `rate_limited` (the network has created too many accounts: try again in an hour), `approval_pending` (a moderator decides about the new account). Put a random value of your own into `returnTo`, and accept a code only when it comes back with it.
         */
        get: operations["startProviderSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/oidc/{provider}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finish a sign-in at a provider
         * @description Providers send the browser here. Only the browser that started the sign-in can finish it; several may be pending. Errors are a page in a browser (`Accept: text/html`).
         */
        get: operations["finishProviderSignIn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/exchange": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchange a sign-in code for tokens
         * @description Works once, within 60 seconds. An account with a second factor needs it here, too.
         */
        post: operations["exchangeCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/identities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my linked providers
         * @description At most one identity for each provider.
         */
        get: operations["listIdentities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/identities/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Link a provider to my account
         * @description Send the code from the redirect. Only the account that started can finish; its owner gets a mail.
         */
        put: operations["finishLink"];
        /**
         * Start linking a provider
         * @description Returns the URL to open in the browser. It returns to `returnTo` with a `?code=` for `PUT` on this path, or with `?error=` as a sign-in does. Requires the password, or a recent sign-in where there is none.
         */
        post: operations["beginLink"];
        /**
         * Unlink a provider
         * @description The last sign-in method cannot be removed: set a password first. Sessions stay. The owner gets a mail.
         */
        delete: operations["unlinkIdentity"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/login/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a second factor
         * @description Send the `mfaToken` of the first request and a code of the authenticator app or a recovery code. A code works once; five wrong ones void the token.
         */
        post: operations["signInWithSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of my second factor
         * @description Never the secret or a recovery code.
         */
        get: operations["getTotp"];
        /**
         * Enable the authenticator app
         * @description Send a code of the app. From then on, signing in requires a code. Returns ten recovery codes, which are shown only once; the owner gets a mail.
         */
        put: operations["enableTotp"];
        /**
         * Create an authenticator secret
         * @description Returns a secret for the app (RFC 6238: SHA-1, 6 digits, 30 seconds). It takes effect when `PUT /v1/auth/totp` confirms a code within ten minutes. Another request replaces the secret.
         */
        post: operations["startTotp"];
        /**
         * Disable the authenticator app
         * @description Requires the password (or a recent sign-in where there is none) and a code of the app or a recovery code. The owner gets a mail.
         */
        delete: operations["disableTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/totp/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace my recovery codes
         * @description Requires the password (or a recent sign-in where there is none) and a code of the app or a recovery code. The earlier codes are void. The owner gets a mail.
         */
        post: operations["renewRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/login/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create passkey sign-in options
         * @description Options for `navigator.credentials.get`, by `PublicKeyCredential.parseRequestOptionsFromJSON`. Valid once, for five minutes.
         */
        post: operations["createPasskeyLoginOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in with a passkey
         * @description Send the result of `credential.toJSON()`. A passkey counts as both factors: no code is needed.
         */
        post: operations["signInWithPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create passkey options
         * @description Options for `navigator.credentials.create`, by `PublicKeyCredential.parseCreationOptionsFromJSON`. Valid once, for five minutes.
         */
        post: operations["createPasskeyOptions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my passkeys
         * @description All passkeys of the account, with the time of their last use.
         */
        get: operations["listPasskeys"];
        put?: never;
        /**
         * Add a passkey
         * @description Send the result of `credential.toJSON()`. An account has at most 20. The owner gets a mail.
         */
        post: operations["addPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/passkeys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a passkey
         * @description It can no longer sign in. The last sign-in method cannot be deleted. The owner gets a mail.
         */
        delete: operations["deletePasskey"];
        options?: never;
        head?: never;
        /**
         * Rename a passkey
         * @description Only its owner sees the name.
         */
        patch: operations["renamePasskey"];
        trace?: never;
    };
    "/v1/auth/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my API tokens
         * @description Oldest first, without the tokens themselves.
         */
        get: operations["listApiTokens"];
        put?: never;
        /**
         * Create an API token
         * @description Grants the access of its scopes, never to account settings. At most 20; the token is shown only once. Requires the password (or a recent sign-in where there is none); the owner gets a mail.
         */
        post: operations["createApiToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API token
         * @description Every host rejects it within 1.5 seconds.
         */
        delete: operations["revokeApiToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/exports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my exports
         * @description Latest first, without expired ones.
         */
        get: operations["listExports"];
        put?: never;
        /**
         * Create an export of my account
         * @description A ZIP with profile, posts and drafts as Markdown, comments, votes, saves, follows, blocks, mutes, hidden posts, filters, collections and images. One a day (UTC), created in the background and kept for seven days. A mail says when it is ready; `Location` is its address.
         */
        post: operations["createExport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/exports/by-mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an export of a banned account
         * @description By the token of the mail about the ban: once, within 30 days. A mail has the link to the file.
         */
        post: operations["createExportByMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/exports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an export
         * @description Includes the link to the file when it is ready.
         */
        get: operations["getExport"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/exports/{id}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an export
         * @description For everyone with the link. Supports a single byte range; several ranges return the whole file.
         */
        get: operations["getExportFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my imports
         * @description Latest first, of the last 30 days.
         */
        get: operations["listImports"];
        put?: never;
        /**
         * Import an archive of another platform
         * @description Its posts become drafts in the background, with tags, images and the time of their publication. The format is found by content. One at a time, three a day (UTC). A post that an earlier import brought is not repeated.
         */
        post: operations["createImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/imports/address": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a page or a feed
         * @description The article of a page, or each post of a feed (RSS, Atom), becomes a draft in the background. The server reads only this address and the images. The limits are those of archives.
         */
        post: operations["importAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an import
         * @description With its progress, and what could not be taken over.
         */
        get: operations["getImport"];
        put?: never;
        post?: never;
        /**
         * Delete an import
         * @description Stops it, and deletes its drafts that are neither published nor scheduled.
         */
        delete: operations["deleteImport"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/imports/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish the drafts of an import
         * @description Those that were published elsewhere, with those times, in the background: they are listed at these times, and no account is notified. Links between them lead to the new posts.
         */
        post: operations["publishImport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts by id
         * @description Up to 100, in the order of the ids. Unknown ids are omitted.
         */
        get: operations["listUsersById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a profile
         * @description An earlier username returns the same profile; `username` is the current one.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List actions of moderators and admins
         * @description For moderators. Latest first: actions on content and accounts, decisions about appeals, changes of roles, looks at e-mail addresses, invites of admins, decisions about registrations, dismissed reports. Entries are never changed or deleted. `GET /v1/users?ids=` gives the names of the accounts.
         */
        get: operations["listModerationActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List actions of moderators, for visitors
         * @description Latest first: actions on content and accounts with their public reasons, decisions about appeals. Returns 404 unless the site publishes its log (`MODERATION_LOG=public`).
         */
        get: operations["listPublicActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rules for texts
         * @description For admins. Latest first.
         */
        get: operations["listRules"];
        put?: never;
        /**
         * Create a rule for texts
         * @description For admins. Applies to posts, comments, profiles and collections that are written or edited from now on. At most 10,000.
         */
        post: operations["createRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a rule for texts
         * @description For admins. Content that it has held stays removed until a moderator restores it.
         */
        delete: operations["deleteRule"];
        options?: never;
        head?: never;
        /**
         * Update a rule for texts
         * @description For admins. Missing fields stay unchanged.
         */
        patch: operations["updateRule"];
        trace?: never;
    };
    "/v1/moderation/rules/{id}/hits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the latest texts that a rule matched
         * @description For admins. The latest 100, without their texts.
         */
        get: operations["listRuleHits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invites
         * @description Latest first, without their codes: my own, or those of all accounts for admins. Expired ones are deleted.
         */
        get: operations["listInvites"];
        put?: never;
        /**
         * Create an invite
         * @description For admins, and for members where the operator allows a number of invites. The code is shown only once; the server stores its hash.
         */
        post: operations["createInvite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/invites/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invite
         * @description My own; admins can revoke any. A used invite stays in the list until it expires, without further uses.
         */
        delete: operations["revokeInvite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts
         * @description For moderators. All accounts with their standing, without e-mail addresses.
         */
        get: operations["listAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an account
         * @description For moderators. Admins get the e-mail address with `email=true`, and the log records it.
         */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{id}/related": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts with the mailbox or a network of an account
         * @description For moderators. The latest 100, without addresses. Networks are those of registrations in the last 30 days and of the latest sessions of the account; many people may share one.
         */
        get: operations["listRelatedAccounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/users/{id}/role": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change the role of an account
         * @description For admins. Requires your password, or a recent sign-in if you have no password. A lower role revokes all sessions and API tokens of the account; a higher one takes effect with its next access token.
         */
        put: operations["changeRole"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sign-ups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pending registrations
         * @description For moderators. The oldest first, without e-mail addresses.
         */
        get: operations["listSignUps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sign-ups/{id}/approval": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Approve a registration
         * @description For moderators. Creates the account and sends a mail. Returns 409 if another account has taken the name.
         */
        put: operations["approveSignUp"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/sign-ups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Reject a registration
         * @description For moderators. Deletes the registration and sends a mail.
         */
        delete: operations["rejectSignUp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the stats of the site
         * @description For admins. A job counts each day (UTC), up to an hour ago; it begins 30 days before the upgrade.
         */
        get: operations["getSiteStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the site
         * @description Its name, who may register, its languages, limits and sign-in providers.
         */
        get: operations["getInstance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update the site
         * @description For admins. Missing fields stay unchanged, and one that an environment variable sets cannot be changed.
         */
        patch: operations["updateInstance"];
        trace?: never;
    };
    "/v1/instance/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create the first admin
         * @description Names the site, too. Works once, while no account is an admin, with the code that the server prints at its start. Returns tokens of the admin.
         */
        post: operations["setUpInstance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an image
         * @description The image is decoded and encoded again: upright, in sRGB, without EXIF, GPS and other metadata; the same bytes return the same image. At most 50 million pixels (all frames counted), 16,383 on a side, 200 frames. An image that no post, draft, collection or profile uses for 24 hours is deleted.
         */
        post: operations["uploadMedia"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import an image from a URL
         * @description The image is decoded and encoded again: upright, in sRGB, without EXIF, GPS and other metadata; the same bytes return the same image. At most 50 million pixels (all frames counted), 16,383 on a side, 200 frames. An image that no post, draft, collection or profile uses for 24 hours is deleted.
         */
        post: operations["importMedia"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/mine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my images
         * @description Newest first, including unused ones.
         */
        get: operations["listMyMedia"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/media/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an image
         * @description Its files return 404 from then on; caches between client and server may keep copies. An image in use needs `force=true`.
         */
        delete: operations["deleteMedia"];
        options?: never;
        head?: never;
        /**
         * Update an image
         * @description Sets the description that clients offer as `alt`.
         */
        patch: operations["updateMedia"];
        trace?: never;
    };
    "/v1/media/files/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an image file
         * @description Immutable. Supports a single byte range; several ranges return the whole file.
         */
        get: operations["getMediaFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/media/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download an image for moderation
         * @description For moderators. The original of an image of an account, also if a moderator removed it.
         */
        get: operations["getModeratedMedia"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List posts by id
         * @description Up to 100 cards in the order of the ids, with unlisted posts. Unknown, deleted and hidden posts are omitted, except your own hidden ones; moderators see all.
         */
        get: operations["listPostsById"];
        put?: never;
        /**
         * Create a post
         * @description `visibility: private` keeps it hidden, `unlisted` out of lists. The server computes slug, preview and read time.
         */
        post: operations["createPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/mine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my posts
         * @description Including unlisted and hidden ones.
         */
        get: operations["listMyPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a post
         * @description With its Markdown. Everyone can read an unlisted post by its id, only the author and moderators a hidden one.
         */
        get: operations["getPost"];
        put?: never;
        post?: never;
        /**
         * Delete a post
         * @description For its author. Every host stops showing it within 1.5 seconds. `POST /v1/drafts/:id/restore` returns it for 30 days.
         */
        delete: operations["deletePost"];
        options?: never;
        head?: never;
        /**
         * Update a post
         * @description Omitted fields stay unchanged; `visibility` publishes and hides. `If-Match` compares versions of the text, so votes do not conflict.
         */
        patch: operations["updatePost"];
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the Markdown of a post
         * @description Stored with zstd: a client that accepts zstd gets the stored bytes.
         */
        get: operations["getPostContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/lock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Lock a post against new comments
         * @description For its author. Idempotent. Existing comments can only be deleted; new ones and edits get `post_locked`.
         */
        put: operations["lockPost"];
        post?: never;
        /**
         * Unlock a post
         * @description For its author, unless a moderator locked it. Idempotent.
         */
        delete: operations["unlockPost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List public posts of an author
         * @description Newest first. Hidden posts are not included, not even for the author. Empty for a signed-in reader who blocks or mutes the author.
         */
        get: operations["listPostsByAuthor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/featured": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List featured posts of an author
         * @description At most 8, in the order chosen by the author. Hidden and deleted posts are omitted.
         */
        get: operations["listFeaturedPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/featured/{postId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Feature a post on my profile
         * @description Idempotent. Hiding a post removes it.
         */
        put: operations["addFeaturedPost"];
        post?: never;
        /**
         * Remove a featured post
         * @description Idempotent.
         */
        delete: operations["removeFeaturedPost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a post as HTML
         * @description Sanitized, with formulas, limited to the elements that docs/html.md lists. A text that takes more than a second of CPU is returned as escaped text.
         */
        get: operations["getPostHtml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a text as HTML
         * @description Renders Markdown or HTML as a post would be. Nothing is stored.
         */
        post: operations["renderMarkdown"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record a view, read or share
         * @description Counts each kind once per viewer, post and window (24 hours by default). A viewer is an account with a verified address, or a keyed hash of the network (an IPv4 address, an IPv6 /56; at most eight of a /24 or /48). Reads and shares of visitors do not move ranks.
         */
        post: operations["recordPostEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the stats of my post
         * @description For its author and admins. The views, reads and shares of all buckets add up to the counters.
         */
        get: operations["getPostStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the stats of all my posts
         * @description Views, reads and shares are added when their window has ended, by default at midnight (UTC).
         */
        get: operations["getOwnStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/top": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List top writers
         * @description The first 500: by likes per post, up to five minutes old, or by the score of a `window`, computed every hour.
         */
        get: operations["listTopWriters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List versions of a post
         * @description Newest first, for the author and moderators. With `isHistoryPublic`, readers of the post see those that were public. The server stores the newest 50, and the last one of each day for a year.
         */
        get: operations["listPostRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/revisions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of a post
         * @description With its Markdown. A version never changes.
         */
        get: operations["getPostRevision"];
        put?: never;
        post?: never;
        /**
         * Delete a version of a post
         * @description The version cannot be restored. The post and its other versions stay.
         */
        delete: operations["deletePostRevision"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/revisions/{version}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two versions of a post
         * @description A unified diff by line, from this version to `against`, or to the current one.
         */
        get: operations["diffPostRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/revisions/{version}/revert": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revert a post to a version
         * @description An edit like any other: the replaced text is kept as a version.
         */
        post: operations["revertPost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/block": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Block an account
         * @description Idempotent. Ends the follows between you. Neither of you can follow the other, or vote and comment on what the other has published; lists omit it for both. An account blocks at most 2,000 others.
         */
        put: operations["blockUser"];
        post?: never;
        /**
         * Unblock an account
         * @description Idempotent. Restores no follow.
         */
        delete: operations["unblockUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/mute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Mute an account
         * @description Idempotent. Activities of the account create no notifications for you, and your lists omit it. The account is not informed. An account mutes at most 2,000 others.
         */
        put: operations["muteUser"];
        post?: never;
        /**
         * Unmute an account
         * @description Idempotent.
         */
        delete: operations["unmuteUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts that I block
         * @description Most recent first.
         */
        get: operations["listBlocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/mutes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts that I have muted
         * @description Most recent first.
         */
        get: operations["listMutes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/filters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my filters
         * @description By phrase, without expired ones.
         */
        get: operations["listFilters"];
        put?: never;
        /**
         * Create a filter
         * @description Your lists omit posts and comments of others with the phrase, or name the filter in `filtered`. An account has at most 100.
         */
        post: operations["createFilter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/filters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a filter
         * @description Your lists show matching content again.
         */
        delete: operations["deleteFilter"];
        options?: never;
        head?: never;
        /**
         * Update a filter
         * @description Missing fields stay unchanged.
         */
        patch: operations["updateFilter"];
        trace?: never;
    };
    "/v1/users/{username}/follow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Follow an account
         * @description Idempotent. Returns the state and the exact count after the change. An account follows at most 5,000 others.
         */
        put: operations["followUser"];
        post?: never;
        /**
         * Unfollow an account
         * @description Idempotent. Returns the state and the exact count after the change.
         */
        delete: operations["unfollowUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/followers/{username}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a follower
         * @description The follower is not notified and can follow again. Idempotent. Returns the state and the exact count after the change.
         */
        delete: operations["removeFollower"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/relationships": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my relationships to accounts
         * @description Up to 100, one row per id in the order of the ids, also for unknown ids.
         */
        get: operations["listRelationships"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/suggested": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List suggested accounts
         * @description Accounts that at least two accounts you follow also follow, the most common ones first; from your 200 latest follows, up to five minutes old. Omits accounts that you follow, block or mute.
         */
        get: operations["listSuggestedUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/followers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List followers
         * @description Most recent first.
         */
        get: operations["listFollowers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/following": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List followed accounts
         * @description Most recent first.
         */
        get: operations["listFollowing"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tags
         * @description Tags of public posts, by popularity, trend or name.
         */
        get: operations["listTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tags/{tag}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tag
         * @description For an alias, the tag that it stands for, whose URL is in `Content-Location`.
         */
        get: operations["getTag"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update a tag
         * @description For moderators. Missing fields stay unchanged. An alias stands for another tag, which is no alias itself; posts keep their tags.
         */
        patch: operations["updateTag"];
        trace?: never;
    };
    "/v1/tags/{tag}/follow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Follow a tag
         * @description Idempotent. Returns the state and the exact count after the change. An account follows at most 30 tags.
         */
        put: operations["followTag"];
        post?: never;
        /**
         * Unfollow a tag
         * @description Idempotent. Returns the state and the exact count after the change.
         */
        delete: operations["unfollowTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tags I follow
         * @description Most recent first. Interests that you add to your profile are followed, too.
         */
        get: operations["listFollowedTags"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List public comments of an account
         * @description Latest first, each with its post, also for the account itself. Without comments on unlisted and private posts, and without deleted and removed ones. Empty for a limited account, and for a signed-in reader who blocks or mutes it.
         */
        get: operations["listCommentsByAuthor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my comments
         * @description Latest first. Removed ones have their text and `removal`. Those on posts that you may no longer read have `post: null`. Deleted ones are omitted.
         */
        get: operations["listMyComments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/comments/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the latest public comments
         * @description Of the whole site, each with its post. Without comments on unlisted and private posts, deleted and removed ones, and those of limited accounts. A new comment appears within 30 s, a deleted one disappears at once.
         */
        get: operations["listLatestComments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List comments by state
         * @description For moderators. Latest first, of one account or of all, also on private posts. Removed ones have their text and `removal`. A page that has read 2,000 comments may be short; `nextCursor` is null only at the end. Omits nothing that you block or mute.
         */
        get: operations["listModeratedComments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List comments on a post
         * @description Top-level comments, each with its number of replies. A deleted comment keeps its place while it has replies. Comments of accounts that you block or mute, and those that a filter hides, have `isHiddenForYou`.
         */
        get: operations["listComments"];
        put?: never;
        /**
         * Create a comment or reply
         * @description Replies nest up to 30 levels. Works on every post that you can read, unless it is locked.
         */
        post: operations["createComment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/comments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a comment
         * @description A deleted comment is returned without author and text while it has replies.
         */
        get: operations["getComment"];
        put?: never;
        post?: never;
        /**
         * Delete a comment
         * @description For its author (also while the post is hidden or locked), and the author of the post. With replies it stays as an empty node of the tree.
         */
        delete: operations["deleteComment"];
        options?: never;
        head?: never;
        /**
         * Update a comment
         * @description Marks it as edited. Its author can edit it while the post is hidden, not while it is locked. `If-Match` compares edits, so votes and replies do not conflict.
         */
        patch: operations["editComment"];
        trace?: never;
    };
    "/v1/comments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List comments by id
         * @description Up to 100, in the order of the ids. Unknown comments, and comments on posts you may not read, are omitted.
         */
        get: operations["listCommentsById"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/comments/html": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List HTML of comments
         * @description Up to 100, in the order of the ids. Deleted comments, and comments on posts you may not read, are omitted. docs/html.md lists the elements.
         */
        get: operations["listCommentHtml"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/comments/{id}/replies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List replies to a comment
         * @description One level, each with its number of replies, and `isHiddenForYou` as in the comments of a post.
         */
        get: operations["listReplies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List public collections
         * @description The latest, or those with the most likes and followers; all, or those with a tag. A signed-in reader gets none of accounts that the reader blocks or mutes.
         */
        get: operations["listCollections"];
        put?: never;
        /**
         * Create a collection
         * @description A list of posts of anyone, or a series of your own. An account has at most 100, each with at most 500 posts.
         */
        post: operations["createCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{idOrSlug}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a collection
         * @description Without its posts. Only its owner and moderators can read a private one.
         */
        get: operations["getCollection"];
        put?: never;
        post?: never;
        /**
         * Delete a collection
         * @description For its owner. Its posts stay; votes on it and follows of it are deleted.
         */
        delete: operations["deleteCollection"];
        options?: never;
        head?: never;
        /**
         * Update a collection
         * @description Omitted fields stay unchanged. `If-Match` compares versions, so posts and votes do not conflict.
         */
        patch: operations["updateCollection"];
        trace?: never;
    };
    "/v1/collections/{idOrSlug}/posts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List posts of a collection
         * @description In the order of the owner. Posts that you may not read are skipped, and in collections of others posts that you block, mute, hide or filter; pages stay full.
         */
        get: operations["listCollectionPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{id}/posts/{postId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add or move a post in a collection
         * @description To the end, or next to another post; two named neighbors must be adjacent. A post that is in the collection moves, or stays when no position is given. Idempotent.
         */
        put: operations["putCollectionPost"];
        post?: never;
        /**
         * Remove a post from a collection
         * @description Idempotent.
         */
        delete: operations["removeCollectionPost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the series of a post
         * @description With its previous and next part, counted among the parts that you may read. 404 for a post without a series.
         */
        get: operations["getPostSeries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my collections
         * @description Newest first, including private ones. With `contains`, each says whether it has that post.
         */
        get: operations["listMyCollections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List public collections of an account
         * @description Newest first. Private collections are not included, not even for the owner. Empty for a signed-in reader who blocks or mutes the account.
         */
        get: operations["listCollectionsByUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report content to moderators
         * @description A post, comment, account or collection that you can read. Only moderators see who reported. Another report about the same target returns the first one; 60 reports in 24 hours.
         */
        post: operations["createReport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List cases of reported content
         * @description For moderators. All reports about one target are one case, with its owner and the beginning of its text. Omits nothing that you block or mute.
         */
        get: operations["listCases"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/cases/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a case
         * @description For moderators. The target as it was at the first report and as it is now, with the latest 100 reports, and the latest 20 actions on it and on its author. Closed cases are deleted after 30 days.
         */
        get: operations["getCase"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/cases/{id}/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Claim a case
         * @description For moderators. No other moderator can decide the case for 15 minutes. Repeat it to extend the claim.
         */
        put: operations["claimCase"];
        post?: never;
        /**
         * Release a case
         * @description For moderators. Deletes your claim. Idempotent.
         */
        delete: operations["releaseCase"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/cases/{id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismiss a case
         * @description For moderators. Closes the case without an action; later reports of its reporters weigh less for 30 days. A new report about the target opens the case again.
         */
        post: operations["dismissCase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an action on content or an account
         * @description For moderators, about accounts with a lower role and their content. The affected account gets a notification with the public reason. The log records the action, and the case of the target closes (`acted`). With `targetIds`, up to 100 targets of one kind: the response is 200, with the action or the error of each.
         */
        post: operations["createModerationAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/appeals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List appeals
         * @description For moderators. The oldest first, with their actions, the names of both sides and the content.
         */
        get: operations["listAppeals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/appeals/{actionId}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm or undo an appealed action
         * @description For moderators with a higher role than the account, except the one who acted if another one can decide. Acceptance restores the content, or ends the lock or restriction. The account gets a notification with the reason.
         */
        post: operations["decideAppeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/moderation/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what waits for moderators
         * @description For moderators. The numbers of open cases, open appeals and pending registrations, each with its oldest.
         */
        get: operations["getModerationSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/moderation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List actions of moderators on my account and content
         * @description Latest first, with the reason, the end of a restriction, and my appeal.
         */
        get: operations["listMyModeration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/appeals/by-mail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an appeal against a ban without signing in
         * @description By the token of the mail about the ban: once, within 30 days. The decision comes by mail.
         */
        post: operations["createAppealByMail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/appeals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create an appeal against an action
         * @description Once per action, within 30 days, also while the account is suspended. Another moderator decides; you get a notification.
         */
        post: operations["createAppeal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drafts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my drafts
         * @description Last saved first, without their texts. `state=trashed` lists the posts that you deleted in the last 30 days instead.
         */
        get: operations["listDrafts"];
        put?: never;
        /**
         * Create a draft
         * @description Every field may be empty. With `postId` it starts as a copy of your post and edits it when published. At most 500 an account.
         */
        post: operations["createDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drafts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a draft
         * @description Send its `ETag` as `If-Match` with the next save.
         */
        get: operations["getDraft"];
        put?: never;
        post?: never;
        /**
         * Delete a draft
         * @description With its versions. The post that it edits stays unchanged.
         */
        delete: operations["deleteDraft"];
        options?: never;
        head?: never;
        /**
         * Save a draft
         * @description For autosave. Requires `If-Match`: a tab that has not seen the last save gets 412. Returns the `ETag` for the next save, without the text; the replaced text is kept as a version.
         */
        patch: operations["saveDraft"];
        trace?: never;
    };
    "/v1/drafts/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a draft as HTML
         * @description Nothing is stored.
         */
        get: operations["previewDraft"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drafts/{id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List versions of a draft
         * @description Newest first: the newest 50, and the last one of each day for a year.
         */
        get: operations["listDraftVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drafts/{id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of a draft
         * @description To restore a version, save its text as the draft.
         */
        get: operations["getDraftVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drafts/{id}/publish": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Publish a draft
         * @description Creates a post, or edits the post that the draft is for, and deletes the draft in the same transaction. Missing fields are named in `errors`.
         */
        post: operations["publishDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drafts/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a deleted post
         * @description The post has its id, visibility, votes and comments again. A post deleted before 0.4.0 returns as a new post without them.
         */
        post: operations["restoreDraft"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drafts/{id}/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Schedule a draft
         * @description 5 minutes to a year ahead, by the clock of the database; published within seconds of that time. It can be saved until then. A draft that cannot be published becomes `failed` with a reason.
         */
        put: operations["scheduleDraft"];
        post?: never;
        /**
         * Cancel the schedule of a draft
         * @description Idempotent.
         */
        delete: operations["unscheduleDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drafts/{id}/share": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create a share link of a draft
         * @description Valid for 30 days; it shows the current text. A new link replaces the previous one.
         */
        put: operations["shareDraft"];
        post?: never;
        /**
         * Revoke the share link of a draft
         * @description Idempotent.
         */
        delete: operations["unshareDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/shared-drafts/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a shared draft
         * @description Readable by anyone with the link.
         */
        get: operations["getSharedDraft"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/vote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Vote on a post
         * @description Idempotent. Returns your vote and the exact counts after the change. You can vote on public posts and on your own.
         */
        put: operations["votePost"];
        post?: never;
        /**
         * Remove my vote from a post
         * @description Idempotent, also for a hidden or deleted target, whose counts are null.
         */
        delete: operations["unvotePost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/comments/{id}/vote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Vote on a comment
         * @description Idempotent. Returns your vote and the exact counts after the change. You can vote on public posts and on your own.
         */
        put: operations["voteComment"];
        post?: never;
        /**
         * Remove my vote from a comment
         * @description Idempotent, also for a hidden or deleted target, whose counts are null.
         */
        delete: operations["unvoteComment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/votes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts that like a post
         * @description Most recent vote first; a changed vote keeps its position. Dislikes are not shown by name.
         */
        get: operations["listPostVotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/votes/followed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts I follow that like a post
         * @description Most recent vote first.
         */
        get: operations["listFollowedPostVotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/comments/{id}/votes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts that like a comment
         * @description Most recent vote first; a changed vote keeps its position. Dislikes are not shown by name.
         */
        get: operations["listCommentVotes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/save": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Save a post
         * @description Idempotent; the first save keeps its position.
         */
        put: operations["savePost"];
        post?: never;
        /**
         * Unsave a post
         * @description Idempotent, also for a post that is hidden or deleted.
         */
        delete: operations["unsavePost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/hide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Hide a post from my lists
         * @description “Not for me”. Idempotent. The author is not informed, and no count changes. An account hides at most 2,000 posts.
         */
        put: operations["hidePost"];
        post?: never;
        /**
         * Unhide a post
         * @description Idempotent, also for a post that is private or deleted.
         */
        delete: operations["unhidePost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/saved": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my saved posts
         * @description Most recent save first. Deleted and hidden posts are skipped; pages stay full.
         */
        get: operations["listSaved"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/hidden": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List posts I hide
         * @description Most recently hidden first. Deleted and private posts are skipped; pages stay full.
         */
        get: operations["listHidden"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/liked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List posts I like
         * @description Most recent vote first. Deleted and hidden posts are skipped; pages stay full.
         */
        get: operations["listLiked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/followed-collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List collections I follow
         * @description Most recent first. A collection that became private is listed without its content, so that you can unfollow it.
         */
        get: operations["listFollowedCollections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{id}/vote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Vote on a collection
         * @description Idempotent. Returns your state and the exact counts after the change.
         */
        put: operations["voteCollection"];
        post?: never;
        /**
         * Remove my vote from a collection
         * @description Idempotent, also for a private or deleted collection, whose counts are null.
         */
        delete: operations["unvoteCollection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{id}/follow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Follow a collection
         * @description Idempotent. Returns your state and the exact counts after the change.
         */
        put: operations["followCollection"];
        post?: never;
        /**
         * Unfollow a collection
         * @description Idempotent, also for a private or deleted collection, whose counts are null.
         */
        delete: operations["unfollowCollection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my notifications
         * @description Latest first, without accounts and posts that you block, mute, hide or filter. All events of a kind for the same target and day (UTC) are one notification, with current accounts and counts. Notifications expire after 90 days.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/unread-count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the number of unread notifications
         * @description At most 100.
         */
        get: operations["getUnreadCount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Mark notifications as read
         * @description All notifications, or those up to `upTo` in the order of the list. Idempotent: read ones stay read.
         */
        put: operations["markNotificationsRead"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get my notification settings
         * @description Settings that were never changed have their defaults.
         */
        get: operations["getNotificationSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update my notification settings
         * @description Omitted fields stay unchanged. Changes apply to future events.
         */
        patch: operations["updateNotificationSettings"];
        trace?: never;
    };
    "/v1/notifications/{id}/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Mark a notification as read
         * @description Idempotent, also if it was already deleted.
         */
        put: operations["markNotificationRead"];
        post?: never;
        /**
         * Mark a notification as unread
         * @description Idempotent, also if it was already deleted.
         */
        delete: operations["markNotificationUnread"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a notification
         * @description Later events of the same day create a new notification. Idempotent, also if it was already deleted.
         */
        delete: operations["deleteNotification"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a stream of my notifications
         * @description Server-sent events: `notification` (put it in place of one with the same id), `unread` (the count, at first and when it changes) and `reset` (read the list again). An event may come twice after `Last-Event-ID`. A stream ends after 15 minutes, or earlier; connect again.
         */
        get: operations["streamNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/stream-ticket": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a ticket for an EventSource
         * @description It opens one stream within 60 seconds: `GET /v1/notifications/event-source`.
         */
        post: operations["createStreamTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/event-source": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a stream of notifications by a ticket
         * @description Like `GET /v1/notifications/stream`, for `EventSource` in browsers. Every connection needs a new ticket.
         */
        get: operations["openEventSource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/push-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the key for Web Push
         * @description Identifies this server to push services (VAPID).
         */
        get: operations["getPushKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notifications/push-subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my push subscriptions
         * @description All of them.
         */
        get: operations["listPushSubscriptions"];
        put?: never;
        /**
         * Create a push subscription
         * @description For a browser, at most 10 an account: the oldest one above ends. It receives the kinds that are set to `push`, encrypted: `{"kind", "id"}`. Idempotent for an endpoint. The body is `JSON.stringify(subscription)`.
         */
        post: operations["createPushSubscription"];
        /**
         * Delete a push subscription
         * @description Idempotent.
         */
        delete: operations["deletePushSubscription"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{id}/watch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Watch or mute a post
         * @description Idempotent. No account sees who watches or mutes. A comment notifies at most 1,000 watchers.
         */
        put: operations["watchPost"];
        post?: never;
        /**
         * Stop watching or muting a post
         * @description Idempotent, also for a deleted post.
         */
        delete: operations["unwatchPost"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/watches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List posts that I watch or mute
         * @description Latest post first. Deleted and private posts are skipped; pages stay full.
         */
        get: operations["listWatches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/me/bells": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts with a bell of mine
         * @description Latest account first.
         */
        get: operations["listBells"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/bell": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Add a bell for the new posts of an account
         * @description Idempotent; independent of follows. An account has at most 200 bells.
         */
        put: operations["addBell"];
        post?: never;
        /**
         * Remove a bell
         * @description Idempotent.
         */
        delete: operations["removeBell"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mail/unsubscribe/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the page of an unsubscribe link
         * @description An HTML form; opening it changes nothing.
         */
        get: operations["getUnsubscribePage"];
        put?: never;
        /**
         * Stop mails of one kind
         * @description With one click (RFC 8058), also by the form of the page. Idempotent; the body does not matter.
         */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List my webhooks
         * @description Oldest first, without their secrets.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The URL then receives a signed POST for each event (Standard Webhooks), at least once and in any order. At most 10 an account, and 20 site-wide ones of admins; the secret is shown only once.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a webhook
         * @description Without its secret.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description With its deliveries. Those that wait are not sent.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Update a webhook
         * @description Missing fields stay unchanged.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook
         * @description The previous secret also signs for 24 hours, so that you can change your receiver in that time.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a test delivery to a webhook
         * @description A delivery of type `ping`; ten a minute.
         */
        post: operations["pingWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries of a webhook
         * @description Of the last 30 days, latest event first, with their attempts.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a delivery again
         * @description Under its id, with all repetitions. A delivery that waits stays unchanged.
         */
        post: operations["redeliverWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/viewer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get my state for a page
         * @description My account, my unread notifications, and my votes, saves, follows and blocks for up to 100 posts, comments, collections, accounts and tags each. One row per id, in the order of the ids, also for unknown ids.
         */
        get: operations["getViewer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search posts, people, tags and comments
         * @description Words of any script, ignoring case and accents; one typo is forgiven. `type`, `tag`, `author` and `sort` apply to posts; tags have one page. Comments need `kind=comments` and are on public posts. A signed-in reader gets no posts, people and comments that the reader blocks, mutes, hides or filters.
         */
        get: operations["searchAll"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search/suggest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggest words
         * @description People by name, most followed first; tags and words, most used first.
         */
        get: operations["suggestWords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/related": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List related posts
         * @description Public posts with common tags or rare words, best first; at most three of the same author and two of each other one. Up to ten minutes old. A server without a search index lists posts with common tags only.
         */
        get: operations["listRelatedPosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feeds/{feed}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public feed (Atom, RSS, JSON)
         * @description At most the newest 50, as Atom, RSS 2.0 or JSON Feed 1.1, with their texts as HTML.
         */
        get: operations["getFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{username}/feed.{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the feed of an author
         * @description At most the newest 50, as Atom, RSS 2.0 or JSON Feed 1.1, with their texts as HTML.
         */
        get: operations["getAuthorFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tags/{tag}/feed.{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the feed of a tag
         * @description At most the newest 50, as Atom, RSS 2.0 or JSON Feed 1.1, with their texts as HTML.
         */
        get: operations["getTagFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{idOrSlug}/feed.{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the feed of a collection
         * @description In the order of its owner, the last one first. At most the newest 50, as Atom, RSS 2.0 or JSON Feed 1.1, with their texts as HTML.
         */
        get: operations["getCollectionFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/meta": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get metadata of a post
         * @description Open Graph, Twitter card and schema.org data (`ScholarlyArticle` for a research paper) for your page.
         */
        get: operations["getPostMeta"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/posts/{idOrSlug}/citation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a citation of a post
         * @description A file for reference managers: author, title with subtitle, date of publication, site and canonical URL.
         */
        get: operations["getPostCitation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oembed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get oEmbed data of a post
         * @description oEmbed 1.0, for every URL of the post.
         */
        get: operations["getOembed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/robots.txt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get robots.txt
         * @description Allows all crawlers and refers to the sitemap.
         */
        get: operations["getRobots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sitemap.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sitemap index
         * @description Up to an hour old.
         */
        get: operations["getSitemapIndex"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sitemaps/tags.xml": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the sitemap of tags
         * @description The 25,000 most used tags at most, up to an hour old. Only with a site.
         */
        get: operations["getTagSitemap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sitemaps/{file}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a sitemap file
         * @description At most 25,000 entries: posts by the month of publication, accounts and collections by the month of creation.
         */
        get: operations["getSitemapFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Liveness: {
            /**
             * @example live
             * @enum {string}
             */
            status: "live";
            /**
             * Format: int64
             * @description seconds since the process started
             * @example 5231
             */
            uptimeSeconds: number;
        };
        Readiness: {
            /**
             * @example ready
             * @enum {string}
             */
            status: "ready";
            /**
             * @description role of this process
             * @example web
             * @enum {string}
             */
            role: "web" | "jobs" | "all";
            /**
             * Format: double
             * @description round trip to the database, measured once a second
             * @example 0.8
             */
            databasePingMs: number;
            /**
             * @description details of each component; only for the networks in the setting HTTP_METRICS
             * @example {
             *       "ranking": {
             *         "epoch": 42,
             *         "ageSeconds": 312
             *       }
             *     }
             */
            details?: {
                [key: string]: unknown;
            };
        };
        ServerHost: {
            /**
             * @description of this start
             * @example 6650c3a2f1d2b3c4d5e6f7e0
             */
            id: string;
            /**
             * @description host name
             * @example web-1
             */
            name: string;
            /**
             * @description version of its program
             * @example 0.4.0+3f9c2d1a7b52
             */
            version: string;
        };
        RequestRates: {
            /**
             * Format: double
             * @description requests, cache hits included
             * @example 41.5
             */
            perSecond: number;
            /**
             * Format: double
             * @description responses with 4xx
             * @example 0.5
             */
            clientErrorsPerSecond: number;
            /**
             * Format: double
             * @description responses with 5xx, requests shed under overload included
             * @example 0
             */
            serverErrorsPerSecond: number;
            /**
             * Format: double
             * @description median without cache hits; null: no request
             * @example 3.2
             */
            p50Ms: number | null;
            /**
             * Format: double
             * @description 99th percentile without cache hits; null: no request
             * @example 24.8
             */
            p99Ms: number | null;
            /**
             * Format: double
             * @description share served from the cache; null: no request
             * @example 0.83
             */
            cacheShare: number | null;
            /**
             * Format: int64
             * @description requests in the framework now
             * @example 2
             */
            inFlight: number;
        };
        CommitRates: {
            /**
             * Format: double
             * @description committed transactions
             * @example 3.5
             */
            perSecond: number;
            /**
             * Format: int64
             * @description writes that wait for the next batch
             * @example 0
             */
            queued: number;
        };
        TaskLane: {
            /**
             * @description name
             * @example mail
             */
            name: string;
            /**
             * Format: int64
             * @description due tasks of all hosts, at most 15 seconds old
             * @example 4
             */
            waiting: number;
            /**
             * Format: int64
             * @description tasks done on this host since it started
             * @example 1204
             */
            done: number;
            /**
             * Format: int64
             * @description failed attempts on this host since it started
             * @example 1
             */
            failed: number;
        };
        ScheduledTask: {
            /**
             * @description name
             * @example score
             */
            name: string;
            /**
             * Format: date-time
             * @description end of the last successful run
             * @example 2026-11-30T10:00:00.000Z
             */
            lastSuccessAt: string | null;
            /**
             * Format: double
             * @description duration of the last run
             * @example 1.8
             */
            seconds: number;
            /**
             * Format: int64
             * @description failed runs since this host started
             * @example 0
             */
            failed: number;
        };
        ServerProcess: {
            /**
             * @description `primary`, `web`, `writer`, `jobs`, or `all`: one process
             * @example web
             */
            role: string;
            /**
             * Format: int64
             * @description process id
             * @example 4711
             */
            pid: number;
            /**
             * @description version of its program
             * @example 0.4.0+3f9c2d1a7b52
             */
            version: string;
            /**
             * Format: int64
             * @description resident memory
             * @example 148000000
             */
            memoryBytes: number;
            /**
             * Format: double
             * @description CPU cores in use; null: the process has just started
             * @example 0.12
             */
            cpu: number | null;
        };
        DatabaseState: {
            /**
             * Format: int64
             * @description data and indexes; null: no response
             * @example 812000000
             */
            sizeBytes: number | null;
            /**
             * Format: int64
             * @description open connections of this host
             * @example 12
             */
            connections: number;
            /**
             * Format: int64
             * @description limit of these connections
             * @example 100
             */
            maxConnections: number;
            /**
             * Format: double
             * @description of the slowest secondary; null: unknown
             * @example 0
             */
            replicationLagSeconds: number | null;
        };
        OperationsSummary: {
            /**
             * Format: date-time
             * @description time of the figures
             * @example 2026-11-30T10:00:00.000Z
             */
            at: string;
            /**
             * Format: double
             * @description length of the period of all rates, which ends at `at`
             * @example 2
             */
            seconds: number;
            /** @description the host that responded */
            host: components["schemas"]["ServerHost"];
            /** @description other live hosts of the database */
            otherHosts: components["schemas"]["ServerHost"][];
            requests: components["schemas"]["RequestRates"];
            commits: components["schemas"]["CommitRates"];
            /** @description lanes of the work queue */
            lanes: components["schemas"]["TaskLane"][];
            /** @description scheduled tasks that this host has run */
            tasks: components["schemas"]["ScheduledTask"][];
            /**
             * Format: int64
             * @description commands above `MONGODB_SLOW_QUERY_MS` since this host started
             * @example 2
             */
            slowQueries: number;
            /** @description processes of this host */
            processes: components["schemas"]["ServerProcess"][];
            database: components["schemas"]["DatabaseState"];
            /**
             * Format: date-time
             * @description last complete backup; null: unknown
             * @example 2026-11-30T10:00:00.000Z
             */
            lastBackupAt: string | null;
        };
        MediaVariant: {
            /**
             * Format: int32
             * @example 640
             */
            width: number;
            /**
             * Format: uri-reference
             * @example https://api.example/v1/media/files/6650c3a2f1d2b3c4d5e6f70c-9f86d081884c7d65-640.webp
             */
            url: string;
        };
        Picture: {
            /**
             * Format: uri-reference
             * @description of the image in full size; a path when the server has no public address
             * @example https://api.example/v1/media/files/6650c3a2f1d2b3c4d5e6f70c-9f86d081884c7d65.jpg
             */
            url: string;
            /**
             * Format: int32
             * @example 4032
             */
            width: number;
            /**
             * Format: int32
             * @example 3024
             */
            height: number;
            /**
             * @description a WebP of at most 16 pixels a side as a data URI, to show blurred until the image has loaded
             * @example data:image/webp;base64,UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=
             */
            placeholder: string;
            /** @description WebP, the smallest first: 320, 640, 1280 and 1920 pixels wide, up to the width of the image; none for an animation */
            variants: components["schemas"]["MediaVariant"][];
        };
        Author: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /** @example ada_lovelace */
            username: string;
            /** @example Ada Lovelace */
            fullName: string;
            /**
             * Format: uri-reference
             * @example https://images.example.org/ada.jpg
             */
            profilePicture: string | null;
        };
        PostStats: {
            /**
             * Format: int64
             * @example 1204
             */
            viewsCount: number;
            /**
             * Format: int64
             * @example 310
             */
            readsCount: number;
            /**
             * Format: int64
             * @example 57
             */
            likesCount: number;
            /**
             * Format: int64
             * @example 2
             */
            dislikesCount: number;
            /**
             * Format: int64
             * @example 9
             */
            sharesCount: number;
            /**
             * Format: int64
             * @description number of comments, including replies
             * @example 14
             */
            commentsCount: number;
        };
        Filtered: {
            /**
             * @description id of the filter
             * @example 6650c3a2f1d2b3c4d5e6f7b3
             */
            id: string;
            /** @example season finale */
            phrase: string;
        };
        PostCard: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /**
             * @description path segment of the post: `<slug>-<id>`
             * @example notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708
             */
            slug: string;
            /** @example article */
            type: components["schemas"]["PostType"];
            /** @example Notes on the Analytical Engine */
            title: string;
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * @description the beginning of the text, without markup
             * @example The Analytical Engine weaves algebraic patterns just as the Jacquard loom weaves flowers and leaves.
             */
            contentPreview: string;
            /**
             * Format: int32
             * @description reading time in minutes
             * @example 4
             */
            readTime: number;
            /**
             * @description false: unlisted or private
             * @example true
             */
            isPublic: boolean;
            /**
             * @description whether title, subtitle or content changed after publication
             * @example false
             */
            isEdited: boolean;
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /** @description sizes of the thumbnail if it is an uploaded image of the author, else null */
            thumbnail: components["schemas"]["Picture"] | null;
            author: components["schemas"]["Author"];
            stats: components["schemas"]["PostStats"];
            /**
             * Format: date-time
             * @description when it was first published; for a draft: when it was created
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description in lists: your filters that warn of the text; absent if there are none */
            filtered?: components["schemas"]["Filtered"][];
        };
        PageInfo: {
            /**
             * @description null at the end of the list
             * @example null
             */
            nextCursor: string | null;
        };
        PostPage: {
            data: components["schemas"]["PostCard"][];
            page: components["schemas"]["PageInfo"];
        };
        ForYouCard: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /**
             * @description path segment of the post: `<slug>-<id>`
             * @example notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708
             */
            slug: string;
            /** @example article */
            type: components["schemas"]["PostType"];
            /** @example Notes on the Analytical Engine */
            title: string;
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * @description the beginning of the text, without markup
             * @example The Analytical Engine weaves algebraic patterns just as the Jacquard loom weaves flowers and leaves.
             */
            contentPreview: string;
            /**
             * Format: int32
             * @description reading time in minutes
             * @example 4
             */
            readTime: number;
            /**
             * @description false: unlisted or private
             * @example true
             */
            isPublic: boolean;
            /**
             * @description whether title, subtitle or content changed after publication
             * @example false
             */
            isEdited: boolean;
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /** @description sizes of the thumbnail if it is an uploaded image of the author, else null */
            thumbnail: components["schemas"]["Picture"] | null;
            author: components["schemas"]["Author"];
            stats: components["schemas"]["PostStats"];
            /**
             * Format: date-time
             * @description when it was first published; for a draft: when it was created
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description in lists: your filters that warn of the text; absent if there are none */
            filtered?: components["schemas"]["Filtered"][];
            /**
             * @description why the post is here: by an account that you follow, liked by one, with a tag that you follow, similar to a post that you like, or popular
             * @example followed_author
             */
            reason: components["schemas"]["ForYouReason"];
        };
        ForYouPage: {
            data: components["schemas"]["ForYouCard"][];
            page: components["schemas"]["PageInfo"];
        };
        FeedbackInput: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            postId: string;
            /**
             * @description `less` also hides the post from this feed
             * @example more
             */
            kind: components["schemas"]["FeedbackKind"];
        };
        Feedback: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            postId: string;
            /** @example more */
            kind: components["schemas"]["FeedbackKind"];
        };
        RegisterInput: {
            /**
             * @description lowercased on input
             * @example ada_lovelace
             */
            username: string;
            /**
             * Format: email
             * @description never shown to others
             * @example ada@example.org
             */
            email: string;
            /**
             * Format: password
             * @example analytical engine no. 1
             */
            password: string;
            /**
             * @description letters of any script
             * @example Ada Lovelace
             */
            fullName: string;
            /**
             * @description the code of an invite, where the site needs one
             * @example Zm9yIGEgZnJpZW5kIHdobyB3cml0ZXMgYWJvdXQgbG9
             */
            invite?: string;
            /**
             * @description for the moderator who decides, where one does
             * @example I write about looms.
             */
            reason?: string;
            /**
             * @description for pages of this server: the refresh token is in a cookie that scripts cannot read, not in the body (default: `false`)
             * @example false
             */
            cookie?: boolean;
        };
        UserStats: {
            /**
             * Format: int64
             * @example 1204
             */
            followersCount: number;
            /**
             * Format: int64
             * @example 87
             */
            followingCount: number;
            /**
             * Format: int64
             * @description public posts
             * @example 31
             */
            postsCount: number;
            /**
             * Format: int64
             * @description likes of those posts
             * @example 4410
             */
            likesReceivedCount: number;
        };
        Link: {
            /** @example My notebook */
            title: string;
            /**
             * Format: uri
             * @example https://example.org/notebook
             */
            url: string;
        };
        UserSettings: {
            /**
             * @description language of mails, as a BCP 47 tag
             * @example en
             */
            language: string;
            /**
             * @description whether `GET /v1/feed/for-you` is made for the account
             * @example true
             */
            personalised: boolean;
        };
        Standing: {
            /**
             * @description `limited`: lists of others omit its content; `suspended`: the account may read, but not write; `banned`: limited, and it cannot sign in
             * @example suspended
             */
            level: components["schemas"]["StandingLevel"];
            /**
             * Format: date-time
             * @description null: until a moderator lifts it
             * @example 2099-12-31T00:00:00.000Z
             */
            until: string | null;
            /**
             * @description the action, for an appeal
             * @example 6650c3a2f1d2b3c4d5e6f7b0
             */
            actionId: string;
        };
        Account: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /** @example ada_lovelace */
            username: string;
            /** @example Ada Lovelace */
            fullName: string;
            /** @example Notes on engines and poetry. */
            bio: string;
            /**
             * Format: uri-reference
             * @example https://images.example.org/ada.jpg
             */
            profilePicture: string | null;
            /** @example user */
            role: components["schemas"]["Role"];
            stats: components["schemas"]["UserStats"];
            /**
             * @description posts shown on the profile, in order; `GET /v1/posts?ids=` gives their cards
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f7aa"
             *     ]
             */
            featuredPostIds: string[];
            /**
             * Format: date-time
             * @example 2026-01-05T09:30:00.000Z
             */
            createdAt: string;
            /** @example Reads looms like books */
            headline: string;
            /** @example London */
            location: string;
            /**
             * @example [
             *       "mathematics",
             *       "weaving"
             *     ]
             */
            interests: string[];
            links: components["schemas"]["Link"][];
            settings: components["schemas"]["UserSettings"];
            /**
             * @description null: not restricted
             * @example null
             */
            standing: components["schemas"]["Standing"] | null;
            /**
             * Format: date-time
             * @example 2026-02-11T18:04:10.000Z
             */
            updatedAt: string;
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
            /**
             * @description whether the owner confirmed the e-mail address
             * @example false
             */
            isEmailVerified: boolean;
            /**
             * @description false for an account that only signs in with providers or passkeys
             * @example true
             */
            hasPassword: boolean;
        };
        SignedIn: {
            /**
             * @description send it as `Authorization: Bearer <token>`
             * @example eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI2NjUwYzNhMmYxZDJiM2M0ZDVlNmY3MDgifQ.c2lnbmF0dXJl
             */
            accessToken: string;
            /**
             * @example Bearer
             * @enum {string}
             */
            tokenType: "Bearer";
            /**
             * Format: int32
             * @description seconds until the access token expires
             * @example 900
             */
            expiresIn: number;
            /**
             * @description for `POST /v1/auth/refresh`, once: the response has the next one. Absent if it is in a cookie
             * @example 3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s
             */
            refreshToken?: string;
            user: components["schemas"]["Account"];
        };
        LoginInput: {
            /**
             * @description username or e-mail address, in any case
             * @example demo_writer
             */
            login: string;
            /**
             * Format: password
             * @example opencanvas-demo-2025
             */
            password: string;
            /**
             * @description for pages of this server: the refresh token is in a cookie that scripts cannot read, not in the body (default: `false`)
             * @example false
             */
            cookie?: boolean;
        };
        RefreshInput: {
            /**
             * @description required without `cookie`
             * @example 3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s
             */
            refreshToken?: string;
            /**
             * @description for pages of this server: the refresh token is in a cookie that scripts cannot read, not in the body (default: `false`)
             * @example false
             */
            cookie?: boolean;
        };
        ChangePasswordInput: {
            /**
             * Format: password
             * @description required if the account has a password; otherwise its sign-in must not be older than ten minutes
             * @example analytical engine no. 1
             */
            currentPassword?: string;
            /**
             * Format: password
             * @example difference engine no. 2
             */
            newPassword: string;
        };
        OwnPasswordInput: {
            /**
             * Format: password
             * @description required if the account has a password; otherwise its sign-in must not be older than ten minutes
             * @example analytical engine no. 1
             */
            password?: string;
        };
        Session: {
            /** @example 6650c3a2f1d2b3c4d5e6f70a */
            id: string;
            /**
             * Format: date-time
             * @description time of the sign-in
             * @example 2026-11-23T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description time of the last token refresh
             * @example 2026-11-24T10:00:00.000Z
             */
            lastUsedAt: string;
            /**
             * @description browser and system, as far as its `User-Agent` names them
             * @example Firefox on Linux
             */
            device: string;
            /**
             * @description network of the last token refresh (IPv4 /24, IPv6 /48); null if unknown
             * @example 192.0.2.0/24
             */
            network: string | null;
            /**
             * @description whether the access token of this request belongs to it
             * @example true
             */
            isCurrent: boolean;
        };
        SessionList: {
            data: components["schemas"]["Session"][];
        };
        AskPasswordResetInput: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
        };
        ResetPasswordInput: {
            /**
             * @description the part of the link in the mail after `#token=`
             * @example b0p1q3kNw7d5cJx0yV2m8u4sZtRfHgL6aXeQiWoUjYk
             */
            token: string;
            /**
             * Format: password
             * @example difference engine no. 2
             */
            password: string;
        };
        TokenInput: {
            /**
             * @description the part of the link in the mail after `#token=`
             * @example b0p1q3kNw7d5cJx0yV2m8u4sZtRfHgL6aXeQiWoUjYk
             */
            token: string;
        };
        ChangeEmailInput: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
            /**
             * Format: password
             * @description required if the account has a password; otherwise its sign-in must not be older than ten minutes
             * @example analytical engine no. 1
             */
            password?: string;
        };
        Provider: {
            /**
             * @description for `GET /v1/auth/oidc/{provider}/start`
             * @example google
             */
            provider: string;
        };
        Providers: {
            data: components["schemas"]["Provider"][];
        };
        ExchangeInput: {
            /**
             * @description value of `code` in the redirect to the client
             * @example qbiR5Vtu8hxFjBVyCRlGFh5TzdJOH4TM4BZVgVDuqpU
             */
            code: string;
            /**
             * @description for pages of this server: the refresh token is in a cookie that scripts cannot read, not in the body (default: `false`)
             * @example false
             */
            cookie?: boolean;
        };
        Identity: {
            /** @example google */
            provider: string;
            /**
             * @description address that the provider has verified
             * @example ada@example.org
             */
            email: string | null;
            /**
             * Format: date-time
             * @example 2026-11-24T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-24T09:30:00.000Z
             */
            lastUsedAt: string;
        };
        Identities: {
            data: components["schemas"]["Identity"][];
        };
        BeginLinkInput: {
            /**
             * @description the page of the client to return to; its origin must be one that the operator allows
             * @example https://app.example/settings
             */
            returnTo: string;
            /**
             * Format: password
             * @description required if the account has a password; otherwise its sign-in must not be older than ten minutes
             * @example analytical engine no. 1
             */
            password?: string;
        };
        BegunLink: {
            /**
             * Format: uri
             * @description to be opened in the browser; valid once, for ten minutes
             * @example https://api.example/v1/auth/oidc/google/start?link=qbiR5Vtu8hxFjBVyCRlGFh5TzdJOH4TM4BZVgVDuqpU
             */
            url: string;
        };
        CodeInput: {
            /**
             * @description value of `code` in the redirect to the client
             * @example qbiR5Vtu8hxFjBVyCRlGFh5TzdJOH4TM4BZVgVDuqpU
             */
            code: string;
        };
        SecondFactorInput: {
            /**
             * @description code of the authenticator app; spaces are ignored
             * @example 492039
             */
            code?: string;
            /**
             * @description used instead of the code; case, dashes and spaces are ignored
             * @example k4qd-7xzn-2m3p-ab5c
             */
            recoveryCode?: string;
            /**
             * @description token from the error `second_factor_required`
             * @example dQ2v7b1Yk0x3mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU
             */
            mfaToken: string;
            /**
             * @description for pages of this server: the refresh token is in a cookie that scripts cannot read, not in the body (default: `false`)
             * @example false
             */
            cookie?: boolean;
        };
        SecondFactorState: {
            /**
             * @description whether sign-ins require a code
             * @example false
             */
            isEnabled: boolean;
            /**
             * Format: int64
             * @description unused recovery codes
             * @example 0
             */
            recoveryCodesLeft: number;
        };
        Totp: {
            /**
             * @description secret to type into the app; base32
             * @example GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ
             */
            secret: string;
            /**
             * @description the same secret as a URL for a QR code
             * @example otpauth://totp/OpenCanvas:ada_lovelace?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=OpenCanvas&algorithm=SHA1&digits=6&period=30
             */
            otpauthUrl: string;
        };
        EnableTotpInput: {
            /**
             * @description code of the authenticator app; spaces are ignored
             * @example 492039
             */
            code: string;
        };
        RecoveryCodes: {
            /**
             * @description each code is valid once; this response is the only one that contains them
             * @example [
             *       "k4qd-7xzn-2m3p-ab5c",
             *       "k4qd-7xzn-2m3p-ab5c",
             *       "k4qd-7xzn-2m3p-ab5c",
             *       "k4qd-7xzn-2m3p-ab5c",
             *       "k4qd-7xzn-2m3p-ab5c",
             *       "k4qd-7xzn-2m3p-ab5c",
             *       "k4qd-7xzn-2m3p-ab5c",
             *       "k4qd-7xzn-2m3p-ab5c",
             *       "k4qd-7xzn-2m3p-ab5c",
             *       "k4qd-7xzn-2m3p-ab5c"
             *     ]
             */
            recoveryCodes: string[];
        };
        ProvenInput: {
            /**
             * @description code of the authenticator app; spaces are ignored
             * @example 492039
             */
            code?: string;
            /**
             * @description used instead of the code; case, dashes and spaces are ignored
             * @example k4qd-7xzn-2m3p-ab5c
             */
            recoveryCode?: string;
            /**
             * Format: password
             * @description required if the account has a password; otherwise its sign-in must not be older than ten minutes
             * @example analytical engine no. 1
             */
            password?: string;
        };
        PasskeyRequestOptions: {
            /** @example dQ2v7b1Yk0x3mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU */
            challenge: string;
            /** @example example.org */
            rpId: string;
            /**
             * Format: int32
             * @example 300000
             */
            timeout: number;
            /**
             * @example required
             * @enum {string}
             */
            userVerification: "required";
        };
        AuthenticationResponseInput: {
            /**
             * @description base64url
             * @example eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0
             */
            clientDataJSON: string;
            /**
             * @description base64url
             * @example SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ
             */
            authenticatorData: string;
            /**
             * @description base64url
             * @example MEUCIQDz0b1kW7xYw2b3v8n5q6r7s8t9u0v1w2x3y4z5A6B7Cw
             */
            signature: string;
            /**
             * @description ignored
             * @example ZlDDovHSs8TV5vcI
             */
            userHandle?: string | null;
        };
        PasskeyLoginInput: {
            /**
             * @description of the credential, base64url
             * @example yqQ1n5b0xk6Gx2cQ9v8b7A
             */
            id: string;
            /**
             * @description the same as `id`
             * @example yqQ1n5b0xk6Gx2cQ9v8b7A
             */
            rawId: string;
            /**
             * @example public-key
             * @enum {string}
             */
            type: "public-key";
            /**
             * @description ignored
             * @example platform
             */
            authenticatorAttachment?: string | null;
            /**
             * @description ignored
             * @example {}
             */
            clientExtensionResults?: {
                [key: string]: unknown;
            };
            response: components["schemas"]["AuthenticationResponseInput"];
            /**
             * @description for pages of this server: the refresh token is in a cookie that scripts cannot read, not in the body (default: `false`)
             * @example false
             */
            cookie?: boolean;
        };
        RelyingParty: {
            /** @example example.org */
            id: string;
            /** @example OpenCanvas */
            name: string;
        };
        PasskeyUser: {
            /** @example ZlDDovHSs8TV5vcI */
            id: string;
            /** @example ada_lovelace */
            name: string;
            /** @example Ada Lovelace */
            displayName: string;
        };
        KeyParameters: {
            /**
             * @example public-key
             * @enum {string}
             */
            type: "public-key";
            /**
             * Format: int32
             * @example -7
             */
            alg: number;
        };
        KnownCredential: {
            /**
             * @example public-key
             * @enum {string}
             */
            type: "public-key";
            /** @example yqQ1n5b0xk6Gx2cQ9v8b7A */
            id: string;
        };
        AuthenticatorSelection: {
            /**
             * @example required
             * @enum {string}
             */
            residentKey: "required";
            /** @example true */
            requireResidentKey: boolean;
            /**
             * @example required
             * @enum {string}
             */
            userVerification: "required";
        };
        PasskeyCreationOptions: {
            /** @example dQ2v7b1Yk0x3mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU */
            challenge: string;
            rp: components["schemas"]["RelyingParty"];
            user: components["schemas"]["PasskeyUser"];
            pubKeyCredParams: components["schemas"]["KeyParameters"][];
            /**
             * Format: int32
             * @example 300000
             */
            timeout: number;
            /** @description authenticators that already have a passkey of this account */
            excludeCredentials: components["schemas"]["KnownCredential"][];
            authenticatorSelection: components["schemas"]["AuthenticatorSelection"];
            /**
             * @example none
             * @enum {string}
             */
            attestation: "none";
        };
        RegistrationResponseInput: {
            /**
             * @description base64url
             * @example eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0
             */
            clientDataJSON: string;
            /**
             * @description base64url
             * @example o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ
             */
            attestationObject: string;
            /**
             * @example [
             *       "internal",
             *       "hybrid"
             *     ]
             */
            transports?: string[];
            /**
             * @description ignored: `attestationObject` contains it
             * @example SZYN5YgOjGh0NBcPZHZgW4
             */
            authenticatorData?: string;
            /**
             * @description ignored: `attestationObject` contains it
             * @example MFkwEwYHKoZIzj0CAQYI
             */
            publicKey?: string;
            /**
             * Format: int32
             * @description ignored: `attestationObject` contains it
             * @example -7
             */
            publicKeyAlgorithm?: number;
        };
        AddPasskeyInput: {
            /**
             * @description of the credential, base64url
             * @example yqQ1n5b0xk6Gx2cQ9v8b7A
             */
            id: string;
            /**
             * @description the same as `id`
             * @example yqQ1n5b0xk6Gx2cQ9v8b7A
             */
            rawId: string;
            /**
             * @example public-key
             * @enum {string}
             */
            type: "public-key";
            /**
             * @description ignored
             * @example platform
             */
            authenticatorAttachment?: string | null;
            /**
             * @description ignored
             * @example {}
             */
            clientExtensionResults?: {
                [key: string]: unknown;
            };
            response: components["schemas"]["RegistrationResponseInput"];
            /**
             * @description name that its owner chose (default: `Passkey`)
             * @example Phone
             */
            name?: string;
        };
        Passkey: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /** @example Phone */
            name: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description time of the last use; null if it was never used
             * @example 2026-03-02T08:00:00.000Z
             */
            lastUsedAt: string | null;
        };
        Passkeys: {
            /** @description oldest first */
            data: components["schemas"]["Passkey"][];
        };
        RenamePasskeyInput: {
            /**
             * @description name that its owner chose
             * @example Phone
             */
            name: string;
        };
        CreateApiTokenInput: {
            /**
             * @description name by which its owner recognizes it
             * @example backup on my laptop
             */
            name: string;
            /**
             * @description `read` allows reads; each other scope allows writes. With `moderation` the token has the role of its account, otherwise that of a user. `operations` is for monitoring, and needs to be the only scope, or beside `moderation`
             * @example [
             *       "read",
             *       "posts"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
            /**
             * Format: date-time
             * @description RFC 3339 with an offset; a token without it does not expire
             * @example 2099-12-31T00:00:00Z
             */
            expiresAt?: string;
            /**
             * Format: password
             * @description required if the account has a password; otherwise its sign-in must not be older than ten minutes
             * @example analytical engine no. 1
             */
            password?: string;
        };
        NewApiToken: {
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            id: string;
            /** @example backup on my laptop */
            name: string;
            /**
             * @example [
             *       "read",
             *       "posts"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description null: does not expire
             * @example 2099-12-31T00:00:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description time of the last use, accurate to a minute; null if it was never used
             * @example 2026-11-24T11:00:00.000Z
             */
            lastUsedAt: string | null;
            /**
             * @description only in this response; send it as `Authorization: Bearer <token>`
             * @example oca_3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s
             */
            token: string;
        };
        ApiToken: {
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            id: string;
            /** @example backup on my laptop */
            name: string;
            /**
             * @example [
             *       "read",
             *       "posts"
             *     ]
             */
            scopes: components["schemas"]["Scope"][];
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description null: does not expire
             * @example 2099-12-31T00:00:00.000Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @description time of the last use, accurate to a minute; null if it was never used
             * @example 2026-11-24T11:00:00.000Z
             */
            lastUsedAt: string | null;
        };
        ApiTokenList: {
            data: components["schemas"]["ApiToken"][];
        };
        Export: {
            /** @example 6650c3a2f1d2b3c4d5e6f70c */
            id: string;
            /**
             * @example ready
             * @enum {string}
             */
            state: "waiting" | "ready" | "failed";
            /**
             * Format: int64
             * @description size of the file in bytes; null until it is ready
             * @example 48213
             */
            bytes: number | null;
            /**
             * Format: uri-reference
             * @description Address of the file, valid for a day without signing in; null until it is ready
             * @example /v1/users/me/exports/6650c3a2f1d2b3c4d5e6f70c/file?signature=1795809600.3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s
             */
            url: string | null;
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description time at which the file is deleted
             * @example 2026-12-01T10:00:00.000Z
             */
            expiresAt: string;
        };
        ExportList: {
            data: components["schemas"]["Export"][];
        };
        ImportCounts: {
            /**
             * Format: int64
             * @description posts and problems that were read
             * @example 12
             */
            read: number;
            /**
             * Format: int64
             * @description new drafts
             * @example 10
             */
            drafts: number;
            /**
             * Format: int64
             * @description posts of an earlier import
             * @example 1
             */
            repeated: number;
            /**
             * Format: int64
             * @description images that texts show from this server
             * @example 24
             */
            images: number;
            /**
             * Format: int64
             * @description requests for images to other sites
             * @example 4
             */
            fetched: number;
            /**
             * Format: int64
             * @description its drafts that were published
             * @example 0
             */
            published: number;
            /**
             * Format: int64
             * @description also those that `problems` omits
             * @example 1
             */
            problems: number;
        };
        ImportProblem: {
            /**
             * @description file or post of the archive
             * @example posts/looms.html
             */
            entry: string;
            /** @example tags_dropped */
            code: string;
            /** @example Tags that were dropped: a, b */
            detail: string;
        };
        Import: {
            /** @example 6650c3a2f1d2b3c4d5e6f70f */
            id: string;
            /**
             * @description `ready`: its drafts exist; `failed`: see `failure`
             * @example ready
             */
            state: components["schemas"]["ArchiveImportState"];
            /**
             * @description of the page or feed, after redirects; null for a file
             * @example null
             */
            address: string | null;
            /**
             * @description found by content; null until then
             * @example ghost
             */
            format: string | null;
            /**
             * @description code of the error that ended the last work: `unknown_format`, `invalid_archive`
             * @example null
             */
            failure: string | null;
            counts: components["schemas"]["ImportCounts"];
            /** @description the first ones */
            problems: components["schemas"]["ImportProblem"][];
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description The server forgets the import then. Its drafts stay.
             * @example 2026-12-24T10:00:00.000Z
             */
            expiresAt: string;
        };
        ImportAddressInput: {
            /**
             * @description of a page or a feed on a public host; at most 5 MB, downloaded within 10 seconds
             * @example https://ada.example.org/feed.xml
             */
            address: string;
        };
        ImportList: {
            data: components["schemas"]["Import"][];
        };
        PublicUser: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /** @example ada_lovelace */
            username: string;
            /** @example Ada Lovelace */
            fullName: string;
            /** @example Notes on engines and poetry. */
            bio: string;
            /**
             * Format: uri-reference
             * @example https://images.example.org/ada.jpg
             */
            profilePicture: string | null;
            /** @example user */
            role: components["schemas"]["Role"];
            stats: components["schemas"]["UserStats"];
            /**
             * @description posts shown on the profile, in order; `GET /v1/posts?ids=` gives their cards
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f7aa"
             *     ]
             */
            featuredPostIds: string[];
            /**
             * Format: date-time
             * @example 2026-01-05T09:30:00.000Z
             */
            createdAt: string;
        };
        UserList: {
            /** @description in the order of `ids`; unknown ids are omitted */
            data: components["schemas"]["PublicUser"][];
        };
        UpdateLinkInput: {
            /** @example My notebook */
            title: string;
            /**
             * Format: uri
             * @description https, without credentials; stored in normalized form
             * @example https://example.org/notebook
             */
            url: string;
        };
        UpdateSettingsInput: {
            /**
             * @description language of mails, as a BCP 47 tag
             * @example en-GB
             */
            language?: string;
            /**
             * @description whether `GET /v1/feed/for-you` is made for the account; false deletes what it stores
             * @example true
             */
            personalised?: boolean;
        };
        UpdateProfileInput: {
            /**
             * @description lowercased on input; the earlier name stays reserved and redirects to the profile
             * @example ada_lovelace
             */
            username?: string;
            /**
             * @description letters of any script
             * @example Ada Lovelace
             */
            fullName?: string;
            /** @example Notes on engines and poetry. */
            bio?: string;
            /**
             * @description one line
             * @example Reads looms like books
             */
            headline?: string;
            /**
             * @description one line
             * @example London
             */
            location?: string;
            /**
             * @description tags, stored in lower case without duplicates; replaces the earlier list
             * @example [
             *       "mathematics",
             *       "weaving"
             *     ]
             */
            interests?: string[];
            /**
             * @description replaces the earlier list
             * @example [
             *       {
             *         "title": "My notebook",
             *         "url": "https://example.org/notebook"
             *       }
             *     ]
             */
            links?: components["schemas"]["UpdateLinkInput"][];
            /**
             * Format: uri-reference
             * @description https, without credentials, or the address of an image of yours; null removes it
             * @example https://images.example.org/ada.jpg
             */
            profilePicture?: string | null;
            /**
             * @description the id of an image of yours; takes precedence over `profilePicture`, null does not
             * @example null
             */
            profilePictureMediaId?: string | null;
            settings?: components["schemas"]["UpdateSettingsInput"];
        };
        OwnUser: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /** @example ada_lovelace */
            username: string;
            /** @example Ada Lovelace */
            fullName: string;
            /** @example Notes on engines and poetry. */
            bio: string;
            /**
             * Format: uri-reference
             * @example https://images.example.org/ada.jpg
             */
            profilePicture: string | null;
            /** @example user */
            role: components["schemas"]["Role"];
            stats: components["schemas"]["UserStats"];
            /**
             * @description posts shown on the profile, in order; `GET /v1/posts?ids=` gives their cards
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f7aa"
             *     ]
             */
            featuredPostIds: string[];
            /**
             * Format: date-time
             * @example 2026-01-05T09:30:00.000Z
             */
            createdAt: string;
            /** @example Reads looms like books */
            headline: string;
            /** @example London */
            location: string;
            /**
             * @example [
             *       "mathematics",
             *       "weaving"
             *     ]
             */
            interests: string[];
            links: components["schemas"]["Link"][];
            settings: components["schemas"]["UserSettings"];
            /**
             * @description null: not restricted
             * @example null
             */
            standing: components["schemas"]["Standing"] | null;
            /**
             * Format: date-time
             * @example 2026-02-11T18:04:10.000Z
             */
            updatedAt: string;
        };
        Profile: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /** @example ada_lovelace */
            username: string;
            /** @example Ada Lovelace */
            fullName: string;
            /** @example Notes on engines and poetry. */
            bio: string;
            /**
             * Format: uri-reference
             * @example https://images.example.org/ada.jpg
             */
            profilePicture: string | null;
            /** @example user */
            role: components["schemas"]["Role"];
            stats: components["schemas"]["UserStats"];
            /**
             * @description posts shown on the profile, in order; `GET /v1/posts?ids=` gives their cards
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f7aa"
             *     ]
             */
            featuredPostIds: string[];
            /**
             * Format: date-time
             * @example 2026-01-05T09:30:00.000Z
             */
            createdAt: string;
            /** @example Reads looms like books */
            headline: string;
            /** @example London */
            location: string;
            /**
             * @example [
             *       "mathematics",
             *       "weaving"
             *     ]
             */
            interests: string[];
            links: components["schemas"]["Link"][];
        };
        ModerationAction: {
            /** @example 6650c3a2f1d2b3c4d5e6f7b0 */
            id: string;
            /**
             * @description the account that performed the action; null: the operator with the CLI, the system, or a name that the site does not show
             * @example 6650c3a2f1d2b3c4d5e6f7b1
             */
            actorId: string | null;
            /**
             * @description its role at that time
             * @example moderator
             */
            actorRole: components["schemas"]["ActorRole"];
            /** @example remove */
            kind: components["schemas"]["ModerationActionKind"];
            /** @example comment */
            targetKind: components["schemas"]["ModerationTargetKind"];
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            targetId: string;
            /**
             * @description of content: the account it belongs to; of an action on an account: the account
             * @example 6650c3a2f1d2b3c4d5e6f709
             */
            ownerId: string | null;
            /**
             * @description as `user -> moderator`, `removes everything`; of a rule: its kind and action
             * @example null
             */
            detail: string | null;
            /** @example spam */
            reasonCode: components["schemas"]["ReportReasonOrNull"];
            /**
             * @description for the affected account; may be empty
             * @example The same advertisement, again.
             */
            publicReason: string;
            /**
             * @description for moderators; may be empty
             * @example
             */
            privateNote: string;
            /**
             * Format: date-time
             * @description the end of a restriction
             * @example null
             */
            until: string | null;
            /**
             * @description the case that the action closed
             * @example null
             */
            caseId: string | null;
            /**
             * @description the action that this one undoes
             * @example null
             */
            reverses: string | null;
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
        };
        ModerationActionPage: {
            data: components["schemas"]["ModerationAction"][];
            page: components["schemas"]["PageInfo"];
        };
        DisclosedAction: {
            /** @example 6650c3a2f1d2b3c4d5e6f7b0 */
            id: string;
            /**
             * @description the account that performed the action; null: the operator with the CLI, the system, or a name that the site does not show
             * @example 6650c3a2f1d2b3c4d5e6f7b1
             */
            actorId: string | null;
            /**
             * @description its role at that time
             * @example moderator
             */
            actorRole: components["schemas"]["ActorRole"];
            /** @example remove */
            kind: components["schemas"]["ModerationActionKind"];
            /** @example comment */
            targetKind: components["schemas"]["ModerationTargetKind"];
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            targetId: string;
            /**
             * @description of content: the account it belongs to; of an action on an account: the account
             * @example 6650c3a2f1d2b3c4d5e6f709
             */
            ownerId: string | null;
            /** @example spam */
            reasonCode: components["schemas"]["ReportReasonOrNull"];
            /**
             * @description for the affected account; may be empty
             * @example The same advertisement, again.
             */
            publicReason: string;
            /**
             * Format: date-time
             * @description the end of a restriction
             * @example null
             */
            until: string | null;
            /**
             * @description the action that this one undoes
             * @example null
             */
            reverses: string | null;
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
        };
        DisclosedActionPage: {
            data: components["schemas"]["DisclosedAction"][];
            page: components["schemas"]["PageInfo"];
        };
        ContentRule: {
            /** @example 6650c3a2f1d2b3c4d5e6f7c0 */
            id: string;
            /** @example phrase */
            kind: components["schemas"]["RuleKind"];
            /** @example buy followers */
            value: string;
            /** @example report */
            action: components["schemas"]["RuleAction"];
            /**
             * @example [
             *       "post",
             *       "comment",
             *       "profile"
             *     ]
             */
            scope: components["schemas"]["RuleScope"][];
            /** @example true */
            isDryRun: boolean;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            updatedAt: string;
        };
        ContentRulePage: {
            data: components["schemas"]["ContentRule"][];
            page: components["schemas"]["PageInfo"];
        };
        CreateContentRuleInput: {
            /**
             * @description `word` and `phrase`: whole words; `domain`: links to the host and its subdomains
             * @example domain
             */
            kind: components["schemas"]["RuleKind"];
            /**
             * @description compared without case, accents, compatibility forms and look-alikes of Latin letters
             * @example shop.example
             */
            value: string;
            /**
             * @description `hold`: removed until a moderator restores it, with a case; `report`: a case; `reject`: 422 `content_rejected`; `limit`: limits the author until a moderator lifts it, with a case
             * @example hold
             */
            action: components["schemas"]["RuleAction"];
            /**
             * @description texts that it matches; `profile` and `collection` not with `hold`; `email`: new addresses of the domain, only for `domain` with `reject`
             * @example [
             *       "post",
             *       "comment"
             *     ]
             */
            scope: components["schemas"]["RuleScope"][];
            /**
             * @description only stores the hits (default: `false`)
             * @example true
             */
            isDryRun?: boolean;
        };
        UpdateContentRuleInput: {
            /**
             * @description `word` and `phrase`: whole words; `domain`: links to the host and its subdomains
             * @example domain
             */
            kind?: components["schemas"]["RuleKind"];
            /**
             * @description compared without case, accents, compatibility forms and look-alikes of Latin letters
             * @example shop.example
             */
            value?: string;
            /**
             * @description `hold`: removed until a moderator restores it, with a case; `report`: a case; `reject`: 422 `content_rejected`; `limit`: limits the author until a moderator lifts it, with a case
             * @example hold
             */
            action?: components["schemas"]["RuleAction"];
            /**
             * @description texts that it matches; `profile` and `collection` not with `hold`; `email`: new addresses of the domain, only for `domain` with `reject`
             * @example [
             *       "post",
             *       "comment"
             *     ]
             */
            scope?: components["schemas"]["RuleScope"][];
            /**
             * @description only stores the hits
             * @example true
             */
            isDryRun?: boolean;
        };
        RuleHit: {
            /** @example comment */
            targetKind: components["schemas"]["RuleHitTarget"];
            /**
             * @description null for a rejected text that was new
             * @example 6650c3a2f1d2b3c4d5e6f70b
             */
            targetId: string | null;
            /**
             * @description the author
             * @example 6650c3a2f1d2b3c4d5e6f709
             */
            userId: string;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            at: string;
        };
        RuleHitList: {
            data: components["schemas"]["RuleHit"][];
        };
        CreateInviteInput: {
            /**
             * Format: int32
             * @description number of registrations; default: 1. Only admins may set more than 1
             * @example 5
             */
            uses?: number;
            /**
             * Format: date-time
             * @description RFC 3339 with an offset; default: in seven days
             * @example 2099-12-31T00:00:00Z
             */
            expiresAt?: string;
            /**
             * @description for you and the admins
             * @example for the reading circle
             */
            note?: string;
        };
        NewInvite: {
            /** @example 6650c3a2f1d2b3c4d5e6f7b2 */
            id: string;
            /**
             * @description the account that created it; null: the operator
             * @example 6650c3a2f1d2b3c4d5e6f7b1
             */
            creatorId: string | null;
            /**
             * Format: int64
             * @example 5
             */
            uses: number;
            /**
             * Format: int64
             * @example 2
             */
            usedCount: number;
            /** @example for the reading circle */
            note: string;
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-12-01T10:00:00.000Z
             */
            expiresAt: string;
            /**
             * @description shown this once: the `invite` of a registration
             * @example Zm9yIGEgZnJpZW5kIHdobyB3cml0ZXMgYWJvdXQgbG9
             */
            code: string;
        };
        Invite: {
            /** @example 6650c3a2f1d2b3c4d5e6f7b2 */
            id: string;
            /**
             * @description the account that created it; null: the operator
             * @example 6650c3a2f1d2b3c4d5e6f7b1
             */
            creatorId: string | null;
            /**
             * Format: int64
             * @example 5
             */
            uses: number;
            /**
             * Format: int64
             * @example 2
             */
            usedCount: number;
            /** @example for the reading circle */
            note: string;
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-12-01T10:00:00.000Z
             */
            expiresAt: string;
        };
        InvitePage: {
            data: components["schemas"]["Invite"][];
            page: components["schemas"]["PageInfo"];
        };
        ListedAccount: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /** @example ada_lovelace */
            username: string;
            /** @example Ada Lovelace */
            fullName: string;
            /** @example Notes on engines and poetry. */
            bio: string;
            /**
             * Format: uri-reference
             * @example https://images.example.org/ada.jpg
             */
            profilePicture: string | null;
            /** @example user */
            role: components["schemas"]["Role"];
            stats: components["schemas"]["UserStats"];
            /**
             * @description posts shown on the profile, in order; `GET /v1/posts?ids=` gives their cards
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f7aa"
             *     ]
             */
            featuredPostIds: string[];
            /**
             * Format: date-time
             * @example 2026-01-05T09:30:00.000Z
             */
            createdAt: string;
            /**
             * @description null: not restricted
             * @example null
             */
            standing: components["schemas"]["Standing"] | null;
        };
        ManagedAccountPage: {
            data: components["schemas"]["ListedAccount"][];
            page: components["schemas"]["PageInfo"];
        };
        ManagedAccount: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /** @example ada_lovelace */
            username: string;
            /** @example Ada Lovelace */
            fullName: string;
            /** @example Notes on engines and poetry. */
            bio: string;
            /**
             * Format: uri-reference
             * @example https://images.example.org/ada.jpg
             */
            profilePicture: string | null;
            /** @example user */
            role: components["schemas"]["Role"];
            stats: components["schemas"]["UserStats"];
            /**
             * @description posts shown on the profile, in order; `GET /v1/posts?ids=` gives their cards
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f7aa"
             *     ]
             */
            featuredPostIds: string[];
            /**
             * Format: date-time
             * @example 2026-01-05T09:30:00.000Z
             */
            createdAt: string;
            /**
             * @description null: not restricted
             * @example null
             */
            standing: components["schemas"]["Standing"] | null;
            /**
             * @description earlier usernames, oldest first
             * @example [
             *       "lovelace"
             *     ]
             */
            previousUsernames: string[];
            /**
             * Format: email
             * @description for admins with `email=true`, which the log records; otherwise null, as for an account that cannot sign in
             * @example null
             */
            email: string | null;
            /**
             * @description the address is verified
             * @example true
             */
            isEmailVerified: boolean;
            /**
             * Format: date-time
             * @description the last sign-in; null: never
             * @example 2026-11-24T10:00:00.000Z
             */
            lastSignInAt: string | null;
        };
        RelatedAccount: {
            account: components["schemas"]["ListedAccount"];
            /**
             * @description `mailbox`: spellings of one address; `network`: of a registration in the last 30 days
             * @example [
             *       "network"
             *     ]
             */
            reasons: ("mailbox" | "network")[];
        };
        RelatedAccounts: {
            /** @description latest account first */
            data: components["schemas"]["RelatedAccount"][];
        };
        ChangeRoleInput: {
            /**
             * Format: password
             * @description required if the account has a password; otherwise its sign-in must not be older than ten minutes
             * @example analytical engine no. 1
             */
            password?: string;
            /** @example moderator */
            role: components["schemas"]["Role"];
        };
        SignUp: {
            /**
             * @description of the account, once it is approved
             * @example 6650c3a2f1d2b3c4d5e6f7b3
             */
            id: string;
            /** @example mary_somerville */
            username: string;
            /** @example Mary Somerville */
            fullName: string;
            /**
             * @description may be empty
             * @example I write about the stars.
             */
            reason: string;
            /**
             * @description the provider it registered with; null: with a password
             * @example null
             */
            provider: string | null;
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
        };
        SignUpPage: {
            data: components["schemas"]["SignUp"][];
            page: components["schemas"]["PageInfo"];
        };
        SiteBucket: {
            /**
             * Format: date
             * @description the first day of the bucket
             * @example 2026-05-01
             */
            at: string;
            /**
             * Format: int64
             * @example 12
             */
            newAccounts: number;
            /**
             * Format: int64
             * @description accounts that signed in or refreshed their session; of a week or month, the highest number of a day
             * @example 12
             */
            activeAccounts: number;
            /**
             * Format: int64
             * @description posts that became public
             * @example 12
             */
            posts: number;
            /**
             * Format: int64
             * @example 12
             */
            comments: number;
            /**
             * Format: int64
             * @description of posts
             * @example 12
             */
            likes: number;
            /**
             * Format: int64
             * @description also by rules
             * @example 12
             */
            reports: number;
            /**
             * Format: int64
             * @description median seconds from the first report of a case to its decision, by the day of the decision; of a week or month, the median of its days. Null without a decision
             * @example 5400
             */
            firstActionSeconds: number | null;
            /**
             * Format: int64
             * @description sent mails
             * @example 12
             */
            mails: number;
            /**
             * Format: int64
             * @description data and indexes in the database at the end; null before the first count
             * @example 52428800
             */
            storageBytes: number | null;
        };
        SiteStatistics: {
            /**
             * Format: date
             * @example 2026-05-01
             */
            from: string;
            /**
             * Format: date
             * @example 2026-05-30
             */
            to: string;
            /** @example day */
            bucket: components["schemas"]["StatBucket"];
            /** @description every bucket, oldest first */
            series: components["schemas"]["SiteBucket"][];
        };
        InstanceLimits: {
            /**
             * Format: int64
             * @description characters of the title of a post
             * @example 200
             */
            titleLength: number;
            /**
             * Format: int64
             * @description characters of the subtitle of a post
             * @example 120
             */
            subtitleLength: number;
            /**
             * Format: int64
             * @description characters of a post
             * @example 200000
             */
            contentLength: number;
            /**
             * Format: int64
             * @description characters of a comment
             * @example 1000
             */
            commentLength: number;
            /**
             * Format: int64
             * @description bytes of one image
             * @example 10485760
             */
            uploadBytes: number;
            /**
             * Format: int64
             * @description bytes of all images of an account
             * @example 1000000000
             */
            imageBytes: number;
            /**
             * Format: int64
             * @description reads of an account
             * @example 6000
             */
            readsPerMinute: number;
            /**
             * Format: int64
             * @description writes of an account
             * @example 600
             */
            writesPerMinute: number;
        };
        Instance: {
            /** @example OpenCanvas */
            name: string;
            /**
             * @description `open`: anyone registers; `invite`: with an invite; `approval`: a moderator decides, unless there is an invite; `closed`: no new accounts
             * @example open
             */
            registration: components["schemas"]["RegistrationMode"];
            /**
             * @description BCP 47 tags, the main language first
             * @example [
             *       "en"
             *     ]
             */
            languages: string[];
            /**
             * @description true while the site has no account: `POST /v1/instance/setup` creates the admin
             * @example false
             */
            needsSetup: boolean;
            limits: components["schemas"]["InstanceLimits"];
            /**
             * @description for `GET /v1/auth/oidc/{provider}/start`
             * @example [
             *       "google"
             *     ]
             */
            providers: string[];
        };
        UpdateInstanceInput: {
            /**
             * @description of the site, in pages, mails, feeds and cards
             * @example OpenCanvas
             */
            name?: string;
            /**
             * @description as in `GET /v1/instance`
             * @example open
             */
            registration?: components["schemas"]["RegistrationMode"];
        };
        SetupInput: {
            /**
             * @description lowercased on input
             * @example ada_lovelace
             */
            username: string;
            /**
             * Format: email
             * @description never shown to others
             * @example ada@example.org
             */
            email: string;
            /**
             * Format: password
             * @example analytical engine no. 1
             */
            password: string;
            /**
             * @description letters of any script
             * @example Ada Lovelace
             */
            fullName: string;
            /**
             * @description for pages of this server: the refresh token is in a cookie that scripts cannot read, not in the body (default: `false`)
             * @example false
             */
            cookie?: boolean;
            /**
             * @description of the site, in pages, mails, feeds and cards
             * @example OpenCanvas
             */
            name?: string;
            /**
             * @description as in `GET /v1/instance`
             * @example open
             */
            registration?: components["schemas"]["RegistrationMode"];
            /**
             * @description printed by the server at its start
             * @example 3yqk0T0yQ0mVfJ2x8V6o3w
             */
            code: string;
        };
        Media: {
            /** @example 6650c3a2f1d2b3c4d5e6f70c */
            id: string;
            /**
             * Format: uri-reference
             * @description of the image in full size; a path when the server has no public address
             * @example https://api.example/v1/media/files/6650c3a2f1d2b3c4d5e6f70c-9f86d081884c7d65.jpg
             */
            url: string;
            /**
             * Format: int32
             * @example 4032
             */
            width: number;
            /**
             * Format: int32
             * @example 3024
             */
            height: number;
            /**
             * Format: int64
             * @description size of the full-size file in bytes
             * @example 1482113
             */
            bytes: number;
            /**
             * @description type of the full-size file
             * @example image/jpeg
             * @enum {string}
             */
            contentType: "image/jpeg" | "image/png" | "image/webp";
            /**
             * @description a WebP of at most 16 pixels a side as a data URI, to show blurred until the image has loaded
             * @example data:image/webp;base64,UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=
             */
            placeholder: string;
            /** @example The third table, in her own hand */
            alt: string;
            /** @description WebP, the smallest first: 320, 640, 1280 and 1920 pixels wide, up to the width of the image; none for an animation */
            variants: components["schemas"]["MediaVariant"][];
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
        };
        ImportMediaInput: {
            /**
             * @description URL of an image on a public host; at most 5 MB, downloaded within 10 seconds
             * @example https://images.example.org/engine.jpg
             */
            url: string;
        };
        MediaPage: {
            data: components["schemas"]["Media"][];
            page: components["schemas"]["PageInfo"];
        };
        UpdateMediaInput: {
            /**
             * @description description of the image for people who cannot see it
             * @example The third table, in her own hand
             */
            alt: string;
        };
        CreatePostInput: {
            /**
             * @description letters, digits and hyphens; stored in lower case without duplicates
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags?: string[];
            /**
             * Format: uri-reference
             * @description https, without credentials, or the address of an image of yours
             * @example null
             */
            thumbnailUrl?: string | null;
            /**
             * @description the id of an image of yours; takes precedence over `thumbnailUrl`, null does not
             * @example null
             */
            thumbnailMediaId?: string | null;
            /**
             * @description below the title, and in link cards and feeds in place of the beginning of the text
             * @example What it can do, and what it cannot
             */
            subtitle?: string | null;
            /**
             * Format: uri
             * @description URL of the first publication, which search engines show
             * @example https://blog.example.org/notes-on-the-analytical-engine
             */
            canonicalUrl?: string | null;
            /**
             * @description of `content`; `html` is stored as Markdown, and `dropped` of the response names what was dropped (default: `markdown`)
             * @example markdown
             */
            contentFormat?: components["schemas"]["ContentFormat"];
            /** @example Notes on the Analytical Engine */
            title: string;
            /**
             * @description Markdown, stored and returned unchanged; sanitize the HTML that you render from it
             * @example # Notes
             *
             *     The Analytical Engine weaves *algebraic patterns* just as the Jacquard loom weaves flowers.
             */
            content: string;
            /** @example article */
            type: components["schemas"]["PostType"];
            /**
             * @description `unlisted`: everyone can read it by its address, and no list shows it; `private`: only the author and moderators (default: `public`)
             * @example public
             */
            visibility?: components["schemas"]["Visibility"];
            /**
             * @description true: `public`, false: `private`; must not contradict `visibility`
             * @example true
             */
            isPublic?: boolean;
            /**
             * @description whether all readers of the post can read its earlier versions, including those from before it was public (default: `false`)
             * @example false
             */
            isHistoryPublic?: boolean;
        };
        Removal: {
            /**
             * @description the action, for an appeal
             * @example 6650c3a2f1d2b3c4d5e6f7b0
             */
            actionId: string;
            /**
             * Format: date-time
             * @description it is deleted 30 days later
             * @example 2026-05-01T09:30:00.000Z
             */
            at: string;
            /**
             * @description of the moderator, or that it waits for a review
             * @example The post advertises a shop.
             */
            reason: string;
        };
        DroppedElement: {
            /** @example iframe */
            element: string;
            /**
             * Format: int64
             * @example 2
             */
            count: number;
        };
        Post: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /**
             * @description path segment of the post: `<slug>-<id>`
             * @example notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708
             */
            slug: string;
            /** @example article */
            type: components["schemas"]["PostType"];
            /** @example Notes on the Analytical Engine */
            title: string;
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * @description the beginning of the text, without markup
             * @example The Analytical Engine weaves algebraic patterns just as the Jacquard loom weaves flowers and leaves.
             */
            contentPreview: string;
            /**
             * Format: int32
             * @description reading time in minutes
             * @example 4
             */
            readTime: number;
            /**
             * @description false: unlisted or private
             * @example true
             */
            isPublic: boolean;
            /**
             * @description whether title, subtitle or content changed after publication
             * @example false
             */
            isEdited: boolean;
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /** @description sizes of the thumbnail if it is an uploaded image of the author, else null */
            thumbnail: components["schemas"]["Picture"] | null;
            author: components["schemas"]["Author"];
            stats: components["schemas"]["PostStats"];
            /**
             * Format: date-time
             * @description when it was first published; for a draft: when it was created
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description in lists: your filters that warn of the text; absent if there are none */
            filtered?: components["schemas"]["Filtered"][];
            /**
             * @description `unlisted`: everyone can read it by its address, and no list shows it
             * @example public
             */
            visibility: components["schemas"]["Visibility"];
            /**
             * @description Markdown
             * @example # Notes
             *
             *     The Analytical Engine weaves *algebraic patterns* …
             */
            content: string;
            /**
             * Format: uri
             * @description URL of the first publication, if it was on another site
             * @example null
             */
            canonicalUrl: string | null;
            /**
             * @description whether new comments are refused
             * @example false
             */
            isLocked: boolean;
            /**
             * @description whether all readers of the post can read its earlier versions
             * @example false
             */
            isHistoryPublic: boolean;
            /** @description only while the post is removed, by a moderator or until a review: it is private until a moderator restores it */
            removal?: components["schemas"]["Removal"];
            /** @description only after a write with `contentFormat: html`: elements that were dropped, most frequent first */
            dropped?: components["schemas"]["DroppedElement"][];
        };
        PostList: {
            data: components["schemas"]["PostCard"][];
        };
        OwnPostCard: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /**
             * @description path segment of the post: `<slug>-<id>`
             * @example notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708
             */
            slug: string;
            /** @example article */
            type: components["schemas"]["PostType"];
            /** @example Notes on the Analytical Engine */
            title: string;
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * @description the beginning of the text, without markup
             * @example The Analytical Engine weaves algebraic patterns just as the Jacquard loom weaves flowers and leaves.
             */
            contentPreview: string;
            /**
             * Format: int32
             * @description reading time in minutes
             * @example 4
             */
            readTime: number;
            /**
             * @description false: unlisted or private
             * @example true
             */
            isPublic: boolean;
            /**
             * @description whether title, subtitle or content changed after publication
             * @example false
             */
            isEdited: boolean;
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /** @description sizes of the thumbnail if it is an uploaded image of the author, else null */
            thumbnail: components["schemas"]["Picture"] | null;
            author: components["schemas"]["Author"];
            stats: components["schemas"]["PostStats"];
            /**
             * Format: date-time
             * @description when it was first published; for a draft: when it was created
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description in lists: your filters that warn of the text; absent if there are none */
            filtered?: components["schemas"]["Filtered"][];
            /**
             * @description `unlisted`: everyone can read it by its address, and no list shows it
             * @example public
             */
            visibility: components["schemas"]["Visibility"];
        };
        OwnPostPage: {
            data: components["schemas"]["OwnPostCard"][];
            page: components["schemas"]["PageInfo"];
        };
        UpdatePostInput: {
            /**
             * @description letters, digits and hyphens; stored in lower case without duplicates
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags?: string[];
            /**
             * Format: uri-reference
             * @description https, without credentials, or the address of an image of yours
             * @example null
             */
            thumbnailUrl?: string | null;
            /**
             * @description the id of an image of yours; takes precedence over `thumbnailUrl`, null does not
             * @example null
             */
            thumbnailMediaId?: string | null;
            /**
             * @description below the title, and in link cards and feeds in place of the beginning of the text
             * @example What it can do, and what it cannot
             */
            subtitle?: string | null;
            /**
             * Format: uri
             * @description URL of the first publication, which search engines show
             * @example https://blog.example.org/notes-on-the-analytical-engine
             */
            canonicalUrl?: string | null;
            /**
             * @description of `content`; `html` is stored as Markdown, and `dropped` of the response names what was dropped
             * @example markdown
             */
            contentFormat?: components["schemas"]["ContentFormat"];
            /** @example Notes on the Analytical Engine */
            title?: string;
            /**
             * @description Markdown, stored and returned unchanged; sanitize the HTML that you render from it
             * @example # Notes
             *
             *     The Analytical Engine weaves *algebraic patterns* just as the Jacquard loom weaves flowers.
             */
            content?: string;
            /** @example article */
            type?: components["schemas"]["PostType"];
            /**
             * @description `unlisted`: everyone can read it by its address, and no list shows it; `private`: only the author and moderators
             * @example public
             */
            visibility?: components["schemas"]["Visibility"];
            /**
             * @description true: `public`, false: `private`; must not contradict `visibility`
             * @example true
             */
            isPublic?: boolean;
            /**
             * @description whether all readers of the post can read its earlier versions, including those from before it was public
             * @example false
             */
            isHistoryPublic?: boolean;
        };
        Lock: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            postId: string;
            /** @example true */
            isLocked: boolean;
        };
        FeaturedIds: {
            /**
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f708"
             *     ]
             */
            featuredPostIds: string[];
        };
        TocEntry: {
            /**
             * Format: int32
             * @example 2
             */
            level: number;
            /**
             * @description the `id` of the heading in the HTML
             * @example user-content-note-g
             */
            id: string;
            /** @example Note G */
            text: string;
        };
        Html: {
            /**
             * @description safe to insert into a page: no script, style or form; links have `rel="ugc nofollow noopener"`
             * @example <h2 id="user-content-note-g">Note G</h2>
             *     <p>It weaves <em>algebraic patterns</em>.</p>
             */
            html: string;
            toc: components["schemas"]["TocEntry"][];
            /**
             * @description whether the HTML has formulas, which need the style sheet of KaTeX
             * @example false
             */
            hasMath: boolean;
            /**
             * Format: int64
             * @example 5
             */
            words: number;
            /** @description only after a write with `contentFormat: html`: elements that were dropped, most frequent first */
            dropped?: components["schemas"]["DroppedElement"][];
        };
        RenderInput: {
            /**
             * @description of `content`; `html` is stored as Markdown, and `dropped` of the response names what was dropped (default: `markdown`)
             * @example markdown
             */
            contentFormat?: components["schemas"]["ContentFormat"];
            /**
             * @description Markdown, stored and returned unchanged; sanitize the HTML that you render from it
             * @example # Notes
             *
             *     The Analytical Engine weaves *algebraic patterns* just as the Jacquard loom weaves flowers.
             */
            content: string;
        };
        RecordPostEventInput: {
            /**
             * @example view
             * @enum {string}
             */
            kind: "view" | "read" | "share";
            /**
             * @description of a view: the host of the page that links to the post, without a port
             * @example news.example.org
             */
            referrer?: string;
        };
        PostEventResult: {
            /**
             * @description false if this viewer was already counted in this window
             * @example true
             */
            counted: boolean;
        };
        Referrer: {
            /**
             * @description a host, `internal` for this site, or `other` for those beyond the 20 highest of a day
             * @example news.example.org
             */
            host: string;
            /**
             * Format: int64
             * @example 12
             */
            views: number;
        };
        PostCounts: {
            /**
             * Format: int64
             * @example 12
             */
            views: number;
            /**
             * Format: int64
             * @example 12
             */
            reads: number;
            /**
             * Format: int64
             * @example 12
             */
            shares: number;
            /**
             * Format: int64
             * @example 12
             */
            likes: number;
            /**
             * Format: int64
             * @example 12
             */
            comments: number;
        };
        PostBucket: {
            /**
             * Format: int64
             * @example 12
             */
            views: number;
            /**
             * Format: int64
             * @example 12
             */
            reads: number;
            /**
             * Format: int64
             * @example 12
             */
            shares: number;
            /**
             * Format: int64
             * @example 12
             */
            likes: number;
            /**
             * Format: int64
             * @example 12
             */
            comments: number;
            /**
             * Format: date
             * @description the first day of the bucket
             * @example 2026-05-01
             */
            at: string;
        };
        PostStatistics: {
            /**
             * Format: date
             * @example 2026-05-01
             */
            from: string;
            /**
             * Format: date
             * @example 2026-05-30
             */
            to: string;
            /** @example day */
            bucket: components["schemas"]["StatBucket"];
            /**
             * @description reads by views in the range; null without views
             * @example 0.42
             */
            readRatio: number | null;
            /** @description of the views in the range whose window has ended, highest first, then `other` */
            referrers: components["schemas"]["Referrer"][];
            /** @description the counters of the post */
            totals: components["schemas"]["PostCounts"];
            /** @description every bucket, oldest first. A like that is taken back stays in its day. */
            series: components["schemas"]["PostBucket"][];
        };
        AuthorCounts: {
            /**
             * Format: int64
             * @example 12
             */
            views: number;
            /**
             * Format: int64
             * @example 12
             */
            reads: number;
            /**
             * Format: int64
             * @example 12
             */
            shares: number;
            /**
             * Format: int64
             * @example 12
             */
            likes: number;
            /**
             * Format: int64
             * @example 12
             */
            comments: number;
            /**
             * Format: int64
             * @description followers
             * @example 12
             */
            follows: number;
        };
        AuthorBucket: {
            /**
             * Format: int64
             * @example 12
             */
            views: number;
            /**
             * Format: int64
             * @example 12
             */
            reads: number;
            /**
             * Format: int64
             * @example 12
             */
            shares: number;
            /**
             * Format: int64
             * @example 12
             */
            likes: number;
            /**
             * Format: int64
             * @example 12
             */
            comments: number;
            /**
             * Format: int64
             * @description followers
             * @example 12
             */
            follows: number;
            /**
             * Format: date
             * @description the first day of the bucket
             * @example 2026-05-01
             */
            at: string;
        };
        TopPost: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /** @example notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708 */
            slug: string;
            /** @example Notes on the Analytical Engine */
            title: string;
            /**
             * Format: int64
             * @example 12
             */
            views: number;
        };
        AuthorStatistics: {
            /**
             * Format: date
             * @example 2026-05-01
             */
            from: string;
            /**
             * Format: date
             * @example 2026-05-30
             */
            to: string;
            /** @example day */
            bucket: components["schemas"]["StatBucket"];
            /**
             * @description reads by views in the range; null without views
             * @example 0.42
             */
            readRatio: number | null;
            /** @description of the views in the range whose window has ended, highest first, then `other` */
            referrers: components["schemas"]["Referrer"][];
            /** @description of all time, with the present likes and followers */
            totals: components["schemas"]["AuthorCounts"];
            /** @description every bucket, oldest first, also of posts deleted later */
            series: components["schemas"]["AuthorBucket"][];
            /** @description the posts with the most views in the range */
            topPosts: components["schemas"]["TopPost"][];
        };
        TopWriter: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /** @example ada_lovelace */
            username: string;
            /** @example Ada Lovelace */
            fullName: string;
            /** @example Notes on engines and poetry. */
            bio: string;
            /**
             * Format: uri-reference
             * @example https://images.example.org/ada.jpg
             */
            profilePicture: string | null;
            /** @example user */
            role: components["schemas"]["Role"];
            stats: components["schemas"]["UserStats"];
            /**
             * @description posts shown on the profile, in order; `GET /v1/posts?ids=` gives their cards
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f7aa"
             *     ]
             */
            featuredPostIds: string[];
            /**
             * Format: date-time
             * @example 2026-01-05T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: double
             * @description likesReceivedCount / postsCount
             * @example 142.26
             */
            likesPerPost: number;
        };
        TopWritersPage: {
            data: components["schemas"]["TopWriter"][];
            page: components["schemas"]["PageInfo"];
        };
        RevisionCard: {
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /**
             * Format: uri
             * @description URL of the first publication, if it was on another site
             * @example null
             */
            canonicalUrl: string | null;
            /**
             * Format: int32
             * @example 3
             */
            version: number;
            /** @example Notes on the Engine */
            title: string;
            /**
             * @description null only for drafts
             * @example article
             */
            type: components["schemas"]["PostTypeOrNull"];
            /**
             * Format: int32
             * @description size of the Markdown in UTF-8
             * @example 2048
             */
            bytes: number;
            /**
             * Format: date-time
             * @description time at which this version was saved
             * @example 2026-05-01T09:30:00.000Z
             */
            savedAt: string;
        };
        RevisionPage: {
            data: components["schemas"]["RevisionCard"][];
            page: components["schemas"]["PageInfo"];
        };
        Revision: {
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /**
             * Format: uri
             * @description URL of the first publication, if it was on another site
             * @example null
             */
            canonicalUrl: string | null;
            /**
             * Format: int32
             * @example 3
             */
            version: number;
            /** @example Notes on the Engine */
            title: string;
            /**
             * @description null only for drafts
             * @example article
             */
            type: components["schemas"]["PostTypeOrNull"];
            /**
             * Format: int32
             * @description size of the Markdown in UTF-8
             * @example 2048
             */
            bytes: number;
            /**
             * Format: date-time
             * @description time at which this version was saved
             * @example 2026-05-01T09:30:00.000Z
             */
            savedAt: string;
            /**
             * @description Markdown
             * @example # Notes
             */
            content: string;
        };
        DiffHunk: {
            /**
             * Format: int32
             * @description number of its first line, starting at 1
             * @example 1
             */
            oldStart: number;
            /**
             * Format: int32
             * @example 1
             */
            oldLines: number;
            /**
             * Format: int32
             * @example 1
             */
            newStart: number;
            /**
             * Format: int32
             * @example 2
             */
            newLines: number;
            /**
             * @description each begins with `-` (only in the old text), `+` (only in the new one) or a space
             * @example [
             *       " # Notes",
             *       "+",
             *       "+It weaves."
             *     ]
             */
            lines: string[];
        };
        Diff: {
            /**
             * Format: int32
             * @example 3
             */
            from: number;
            /**
             * Format: int32
             * @example 4
             */
            to: number;
            /** @description empty if the texts are equal */
            hunks: components["schemas"]["DiffHunk"][];
        };
        Block: {
            /**
             * @description current name of the account
             * @example ada_lovelace
             */
            username: string;
            /** @example true */
            isBlocked: boolean;
        };
        MuteInput: {
            /**
             * Format: date-time
             * @description RFC 3339 with an offset; default: until you unmute it
             * @example 2099-12-31T00:00:00Z
             */
            until?: string;
        };
        Mute: {
            /**
             * @description current name of the account
             * @example ada_lovelace
             */
            username: string;
            /** @example true */
            isMuted: boolean;
            /**
             * Format: date-time
             * @description null: until you unmute it
             * @example null
             */
            until: string | null;
        };
        BlockedUser: {
            user: components["schemas"]["Author"];
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            blockedAt: string;
        };
        BlockPage: {
            data: components["schemas"]["BlockedUser"][];
            page: components["schemas"]["PageInfo"];
        };
        MutedUser: {
            user: components["schemas"]["Author"];
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            mutedAt: string;
            /**
             * Format: date-time
             * @description null: until you unmute it
             * @example null
             */
            until: string | null;
        };
        MutePage: {
            data: components["schemas"]["MutedUser"][];
            page: components["schemas"]["PageInfo"];
        };
        ContentFilter: {
            /** @example 6650c3a2f1d2b3c4d5e6f7b3 */
            id: string;
            /** @example season finale */
            phrase: string;
            /** @example true */
            isWholeWord: boolean;
            /**
             * @example [
             *       "posts",
             *       "comments"
             *     ]
             */
            in: components["schemas"]["FilteredKind"][];
            /** @example warn */
            action: components["schemas"]["FilterAction"];
            /**
             * Format: date-time
             * @description null: until you delete it
             * @example 2099-12-31T00:00:00.000Z
             */
            until: string | null;
        };
        ContentFilterList: {
            data: components["schemas"]["ContentFilter"][];
        };
        CreateContentFilterInput: {
            /**
             * @description matched without case, accents and compatibility forms; unique in an account
             * @example season finale
             */
            phrase: string;
            /**
             * @description false: also matches parts of words; signs such as an emoji always match anywhere (default: `true`)
             * @example true
             */
            isWholeWord?: boolean;
            /**
             * @description `posts`: title, tags and preview; `comments`: the text
             * @example [
             *       "posts",
             *       "comments"
             *     ]
             */
            in: components["schemas"]["FilteredKind"][];
            /**
             * @description `hide`: lists omit it; `warn`: lists name the filter in `filtered`
             * @example warn
             */
            action: components["schemas"]["FilterAction"];
            /**
             * Format: date-time
             * @description RFC 3339 with an offset; absent or null: until you delete it
             * @example 2099-12-31T00:00:00Z
             */
            until?: string | null;
        };
        UpdateContentFilterInput: {
            /**
             * @description matched without case, accents and compatibility forms; unique in an account
             * @example season finale
             */
            phrase?: string;
            /**
             * @description false: also matches parts of words; signs such as an emoji always match anywhere
             * @example true
             */
            isWholeWord?: boolean;
            /**
             * @description `posts`: title, tags and preview; `comments`: the text
             * @example [
             *       "posts",
             *       "comments"
             *     ]
             */
            in?: components["schemas"]["FilteredKind"][];
            /**
             * @description `hide`: lists omit it; `warn`: lists name the filter in `filtered`
             * @example warn
             */
            action?: components["schemas"]["FilterAction"];
            /**
             * Format: date-time
             * @description RFC 3339 with an offset; absent or null: until you delete it
             * @example 2099-12-31T00:00:00Z
             */
            until?: string | null;
        };
        Follow: {
            /**
             * @description current name of the account
             * @example ada_lovelace
             */
            username: string;
            /** @example true */
            isFollowing: boolean;
            /**
             * Format: int64
             * @description number of its followers after the change
             * @example 1205
             */
            followersCount: number;
        };
        Follower: {
            /**
             * @description current name of the account
             * @example ada_lovelace
             */
            username: string;
            /** @example false */
            isFollower: boolean;
            /**
             * Format: int64
             * @description number of your followers after the change
             * @example 86
             */
            followersCount: number;
        };
        Relationship: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /**
             * @description whether you follow this account
             * @example true
             */
            isFollowing: boolean;
            /**
             * @description whether this account follows you
             * @example false
             */
            isFollowedBy: boolean;
            /**
             * @description whether you have a bell for its new posts
             * @example false
             */
            hasBell: boolean;
            /**
             * @description whether you block this account
             * @example false
             */
            isBlocked: boolean;
            /**
             * @description whether you have muted this account
             * @example false
             */
            isMuted: boolean;
        };
        Relationships: {
            /** @description one item per account, in the order of the request */
            data: components["schemas"]["Relationship"][];
        };
        SuggestedUser: {
            user: components["schemas"]["PublicUser"];
            /**
             * Format: int64
             * @description number of accounts you follow that follow it
             * @example 3
             */
            knownFollowersCount: number;
        };
        SuggestedUsers: {
            data: components["schemas"]["SuggestedUser"][];
        };
        FollowedUser: {
            user: components["schemas"]["Author"];
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            since: string;
        };
        FollowPage: {
            data: components["schemas"]["FollowedUser"][];
            page: components["schemas"]["PageInfo"];
        };
        Tag: {
            /** @example mathematics */
            tag: string;
            /**
             * Format: int64
             * @description public posts, counted every hour
             * @example 120
             */
            postsCount: number;
            /**
             * Format: double
             * @description posts, likes and comments of the last 48 hours by their mean of the 28 days before, computed every hour; 0: not more than before
             * @example 2.4
             */
            trend: number;
            /**
             * Format: int64
             * @example 35
             */
            followersCount: number;
        };
        TagPage: {
            data: components["schemas"]["Tag"][];
            page: components["schemas"]["PageInfo"];
        };
        TagDetails: {
            /** @example mathematics */
            tag: string;
            /**
             * Format: int64
             * @description public posts, counted every hour
             * @example 120
             */
            postsCount: number;
            /**
             * Format: double
             * @description posts, likes and comments of the last 48 hours by their mean of the 28 days before, computed every hour; 0: not more than before
             * @example 2.4
             */
            trend: number;
            /**
             * Format: int64
             * @example 35
             */
            followersCount: number;
            /**
             * @description by moderators; empty for most tags
             * @example
             */
            description: string;
        };
        UpdateTagInput: {
            /**
             * @description one line
             * @example Numbers, shapes and proofs
             */
            description?: string;
            /**
             * @description the tag that it stands for; null: itself
             * @example null
             */
            aliasOf?: string | null;
            /**
             * @description whether lists of tags omit it
             * @example false
             */
            isHidden?: boolean;
        };
        TagFollow: {
            /** @example mathematics */
            tag: string;
            /**
             * Format: int64
             * @example 35
             */
            followersCount: number;
            /** @example true */
            isFollowing: boolean;
        };
        TagList: {
            /** @description most recent follow first */
            data: components["schemas"]["Tag"][];
        };
        CommentStats: {
            /**
             * Format: int64
             * @example 12
             */
            likesCount: number;
            /**
             * Format: int64
             * @example 0
             */
            dislikesCount: number;
            /**
             * Format: int64
             * @description direct replies that can be seen
             * @example 2
             */
            repliesCount: number;
        };
        TargetPost: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /**
             * @description path segment of the post: `<slug>-<id>`
             * @example notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708
             */
            slug: string;
            /** @example Notes on the Analytical Engine */
            title: string;
        };
        CommentWithPost: {
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            id: string;
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            postId: string;
            /**
             * @description null for a comment on the post itself
             * @example null
             */
            parentId: string | null;
            /** @description null if the comment is deleted or hidden for you */
            author: components["schemas"]["Author"] | null;
            /**
             * @description null if the comment is deleted or hidden for you
             * @example The third table settles it.
             */
            content: string | null;
            stats: components["schemas"]["CommentStats"];
            /** @example false */
            isEdited: boolean;
            /**
             * @description a deleted comment stays in the list while it has replies; also true for one that a moderator removed
             * @example false
             */
            isDeleted: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            updatedAt: string;
            /**
             * @description true in lists if you block or mute the author, the author blocks you or is limited, or a filter of yours hides the text; otherwise absent
             * @example false
             */
            isHiddenForYou?: boolean;
            /** @description in lists: your filters that warn of the text; absent if there are none */
            filtered?: components["schemas"]["Filtered"][];
            /** @description only for its author and moderators, while it is removed, by a moderator or until a review; others get a deleted comment */
            removal?: components["schemas"]["Removal"];
            /** @description null if you may no longer read the post */
            post: components["schemas"]["TargetPost"] | null;
        };
        CommentWithPostPage: {
            data: components["schemas"]["CommentWithPost"][];
            page: components["schemas"]["PageInfo"];
        };
        Comment: {
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            id: string;
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            postId: string;
            /**
             * @description null for a comment on the post itself
             * @example null
             */
            parentId: string | null;
            /** @description null if the comment is deleted or hidden for you */
            author: components["schemas"]["Author"] | null;
            /**
             * @description null if the comment is deleted or hidden for you
             * @example The third table settles it.
             */
            content: string | null;
            stats: components["schemas"]["CommentStats"];
            /** @example false */
            isEdited: boolean;
            /**
             * @description a deleted comment stays in the list while it has replies; also true for one that a moderator removed
             * @example false
             */
            isDeleted: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            updatedAt: string;
            /**
             * @description true in lists if you block or mute the author, the author blocks you or is limited, or a filter of yours hides the text; otherwise absent
             * @example false
             */
            isHiddenForYou?: boolean;
            /** @description in lists: your filters that warn of the text; absent if there are none */
            filtered?: components["schemas"]["Filtered"][];
            /** @description only for its author and moderators, while it is removed, by a moderator or until a review; others get a deleted comment */
            removal?: components["schemas"]["Removal"];
        };
        CommentPage: {
            data: components["schemas"]["Comment"][];
            page: components["schemas"]["PageInfo"];
        };
        CreateCommentInput: {
            /**
             * @description Markdown; surrounding white space is removed. Servers accept 1,000 characters unless their operator chose more: `limits.commentLength` of `GET /v1/instance`
             * @example The third table settles it.
             */
            content: string;
            /**
             * @description the comment of the same post to reply to; absent or null: the post itself
             * @example 6650c3a2f1d2b3c4d5e6f70b
             */
            parentId?: string | null;
        };
        CommentList: {
            data: components["schemas"]["Comment"][];
        };
        CommentHtml: {
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            id: string;
            /**
             * @description safe to insert into a page: no script, style, form, image or id; links have `rel="ugc nofollow noopener"`
             * @example <p>The <em>third</em> table settles it.</p>
             */
            html: string;
        };
        CommentHtmlList: {
            data: components["schemas"]["CommentHtml"][];
        };
        EditCommentInput: {
            /**
             * @description Markdown; surrounding white space is removed. Servers accept 1,000 characters unless their operator chose more: `limits.commentLength` of `GET /v1/instance`
             * @example The third table settles it.
             */
            content: string;
        };
        CreateCollectionInput: {
            /**
             * @description letters, digits and hyphens; stored in lower case without duplicates
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags?: string[];
            /**
             * Format: uri-reference
             * @description https, without credentials, or the address of an image of yours
             * @example null
             */
            thumbnailUrl?: string | null;
            /**
             * @description the id of an image of yours; takes precedence over `thumbnailUrl`, null does not
             * @example null
             */
            thumbnailMediaId?: string | null;
            /** @example Looms and engines */
            title: string;
            /**
             * @description plain text; surrounding white space is removed (default: empty)
             * @example Machines that weave, in the order I met them.
             */
            description?: string;
            /**
             * @description `list`: posts of any author; `series`: posts of its owner, each in at most one series. It cannot be changed
             * @example list
             */
            kind: components["schemas"]["CollectionKind"];
            /**
             * @description false: only its owner and moderators see it (default: `true`)
             * @example true
             */
            isPublic?: boolean;
        };
        CollectionStats: {
            /**
             * Format: int64
             * @description number of its public posts
             * @example 12
             */
            postsCount: number;
            /**
             * Format: int64
             * @example 31
             */
            likesCount: number;
            /**
             * Format: int64
             * @example 1
             */
            dislikesCount: number;
            /**
             * Format: int64
             * @example 8
             */
            followersCount: number;
        };
        Collection: {
            /** @example 6650c3a2f1d2b3c4d5e6f70a */
            id: string;
            /**
             * @description path segment of the collection: `<slug>-<id>`
             * @example looms-and-engines-6650c3a2f1d2b3c4d5e6f70a
             */
            slug: string;
            /** @example list */
            kind: components["schemas"]["CollectionKind"];
            /** @example Looms and engines */
            title: string;
            /** @example Machines that weave, in the order I met them. */
            description: string;
            /**
             * @description false: private; only its owner and moderators see it
             * @example true
             */
            isPublic: boolean;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * Format: uri-reference
             * @example https://images.example.org/loom.webp
             */
            thumbnailUrl: string | null;
            owner: components["schemas"]["Author"];
            stats: components["schemas"]["CollectionStats"];
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description time of the last change of title, description, tags or visibility
             * @example 2026-05-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description only while a moderator has removed the collection: it is private until a moderator restores it */
            removal?: components["schemas"]["Removal"];
        };
        CollectionPage: {
            data: components["schemas"]["Collection"][];
            page: components["schemas"]["PageInfo"];
        };
        UpdateCollectionInput: {
            /**
             * @description letters, digits and hyphens; stored in lower case without duplicates
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags?: string[];
            /**
             * Format: uri-reference
             * @description https, without credentials, or the address of an image of yours
             * @example null
             */
            thumbnailUrl?: string | null;
            /**
             * @description the id of an image of yours; takes precedence over `thumbnailUrl`, null does not
             * @example null
             */
            thumbnailMediaId?: string | null;
            /** @example Looms and engines */
            title?: string;
            /**
             * @description plain text; surrounding white space is removed
             * @example Machines that weave, in the order I met them.
             */
            description?: string;
            /**
             * @description false: only its owner and moderators see it
             * @example true
             */
            isPublic?: boolean;
        };
        CollectionPost: {
            post: components["schemas"]["PostCard"];
            /** @example Begin here: the cards are the programme. */
            note: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            addedAt: string;
        };
        CollectionPostPage: {
            data: components["schemas"]["CollectionPost"][];
            page: components["schemas"]["PageInfo"];
        };
        PutCollectionPostInput: {
            /**
             * @description shown with the post; null removes the note, an absent value keeps it
             * @example Begin here: the cards are the programme.
             */
            note?: string | null;
            /**
             * @description inserts the post before this post of the collection
             * @example 6650c3a2f1d2b3c4d5e6f707
             */
            before?: string;
            /**
             * @description inserts the post after this post of the collection
             * @example 6650c3a2f1d2b3c4d5e6f706
             */
            after?: string;
        };
        PlacedPost: {
            /**
             * Format: int64
             * @description number of posts in the collection after the change
             * @example 12
             */
            postsCount: number;
            /**
             * Format: int32
             * @description position of the post after the change, starting at 1
             * @example 3
             */
            position: number;
        };
        RemovedPost: {
            /**
             * Format: int64
             * @description number of posts in the collection after the change
             * @example 12
             */
            postsCount: number;
        };
        PostSeries: {
            /** @description the series */
            collection: components["schemas"]["Collection"];
            /**
             * Format: int32
             * @description position of the post in the series, starting at 1
             * @example 2
             */
            index: number;
            /**
             * Format: int32
             * @description number of posts of the series that you can read
             * @example 5
             */
            count: number;
            /** @description null for the first part */
            previous: components["schemas"]["PostCard"] | null;
            /** @description null for the last part */
            next: components["schemas"]["PostCard"] | null;
        };
        OwnCollection: {
            /** @example 6650c3a2f1d2b3c4d5e6f70a */
            id: string;
            /**
             * @description path segment of the collection: `<slug>-<id>`
             * @example looms-and-engines-6650c3a2f1d2b3c4d5e6f70a
             */
            slug: string;
            /** @example list */
            kind: components["schemas"]["CollectionKind"];
            /** @example Looms and engines */
            title: string;
            /** @example Machines that weave, in the order I met them. */
            description: string;
            /**
             * @description false: private; only its owner and moderators see it
             * @example true
             */
            isPublic: boolean;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * Format: uri-reference
             * @example https://images.example.org/loom.webp
             */
            thumbnailUrl: string | null;
            owner: components["schemas"]["Author"];
            stats: components["schemas"]["CollectionStats"];
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description time of the last change of title, description, tags or visibility
             * @example 2026-05-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description only while a moderator has removed the collection: it is private until a moderator restores it */
            removal?: components["schemas"]["Removal"];
            /**
             * @description whether it contains the post of `contains`; absent without that parameter
             * @example true
             */
            isMember?: boolean;
        };
        OwnCollectionPage: {
            data: components["schemas"]["OwnCollection"][];
            page: components["schemas"]["PageInfo"];
        };
        CreateReportInput: {
            /** @example user */
            targetKind: components["schemas"]["ReportTargetKind"];
            /**
             * @description of the post, comment, image, account (`profile`: its texts) or collection (`note`: its notes)
             * @example 6650c3a2f1d2b3c4d5e6f709
             */
            targetId: string;
            /** @example spam */
            reason: components["schemas"]["ReportReason"];
            /**
             * @description plain text, for moderators (default: empty)
             * @example Sends the same advertisement to everyone.
             */
            note?: string;
        };
        Report: {
            /** @example user */
            targetKind: components["schemas"]["ReportTargetKind"];
            /** @example 6650c3a2f1d2b3c4d5e6f709 */
            targetId: string;
            /** @example spam */
            reason: components["schemas"]["ReportReason"];
            /**
             * @description may be empty
             * @example Sends the same advertisement to everyone.
             */
            note: string;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            createdAt: string;
        };
        ReasonCount: {
            /** @example spam */
            reason: components["schemas"]["ReportReason"];
            /**
             * Format: int64
             * @example 3
             */
            count: number;
        };
        ShownClaim: {
            /** @example 6650c3a2f1d2b3c4d5e6f7b1 */
            moderatorId: string;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            until: string;
            /** @description `moderatorId`; null if it was deleted */
            moderator: components["schemas"]["Author"] | null;
        };
        TargetSummary: {
            /**
             * @description title, name, or the title of the post of a comment
             * @example Rui Demo
             */
            title: string;
            /**
             * @description the beginning of the text of a post or comment, of a description, a bio or removed texts
             * @example Reads, votes, saves and follows.
             */
            excerpt: string;
            /** @description the post, or the post of the comment */
            post: components["schemas"]["TargetPost"] | null;
            /**
             * Format: uri-reference
             * @description of an image, or the removed image of a profile: the original for moderators; null for others
             * @example null
             */
            imagePath: string | null;
        };
        ReportCase: {
            /**
             * @description kind and id of the target
             * @example user-6650c3a2f1d2b3c4d5e6f709
             */
            id: string;
            /** @example user */
            targetKind: components["schemas"]["ReportTargetKind"];
            /** @example 6650c3a2f1d2b3c4d5e6f709 */
            targetId: string;
            /**
             * @description the author of the target, or the reported account
             * @example 6650c3a2f1d2b3c4d5e6f709
             */
            ownerId: string;
            /**
             * @description title, name, or the beginning of a comment, when it was reported
             * @example Rui Demo
             */
            title: string;
            /** @example open */
            state: components["schemas"]["CaseState"];
            /**
             * @description of a closed case; `deleted`: the target was deleted; `acted`: a moderator acted
             * @example null
             */
            outcome: components["schemas"]["CaseOutcomeOrNull"];
            /**
             * Format: double
             * @description sum of the weights of the reports
             * @example 2.5
             */
            weight: number;
            /**
             * Format: int64
             * @description since the case was opened
             * @example 3
             */
            reportsCount: number;
            /** @description most frequent first */
            reasons: components["schemas"]["ReasonCount"][];
            /** @description the moderator who works on it; null: none */
            claim: components["schemas"]["ShownClaim"] | null;
            /**
             * Format: date-time
             * @description of the first report
             * @example 2026-11-29T10:00:00.000Z
             */
            firstAt: string;
            /**
             * Format: date-time
             * @description of the last report
             * @example 2026-11-29T10:00:00.000Z
             */
            lastAt: string;
            /**
             * Format: date-time
             * @example null
             */
            closedAt: string | null;
            /**
             * @description of the moderator who closed it; may be empty
             * @example
             */
            note: string;
            /** @description `ownerId`; null if it was deleted */
            owner: components["schemas"]["Author"] | null;
            /** @description now; null if it was deleted */
            content: components["schemas"]["TargetSummary"] | null;
        };
        ReportCasePage: {
            data: components["schemas"]["ReportCase"][];
            page: components["schemas"]["PageInfo"];
        };
        ReportedContent: {
            /**
             * @description title, name, or the beginning of a comment
             * @example Rui Demo
             */
            title: string;
            /**
             * @description subtitle and Markdown of a post, Markdown of a comment, description of a collection, or bio
             * @example Reads, votes, saves and follows.
             */
            text: string;
            /** @example demo_reader */
            username: string;
            /**
             * Format: uri-reference
             * @description thumbnail or profile image
             * @example null
             */
            imageUrl: string | null;
        };
        CaseReport: {
            /**
             * @description null: a rule for texts, or the review of first posts; the note says which
             * @example 6650c3a2f1d2b3c4d5e6f701
             */
            reporterId: string | null;
            /** @description `reporterId`; null for a rule */
            reporter: components["schemas"]["Author"] | null;
            /** @example spam */
            reason: components["schemas"]["ReportReason"];
            /**
             * @description may be empty
             * @example Sends the same advertisement to everyone.
             */
            note: string;
            /**
             * Format: double
             * @description 1, halved by each report of the reporter dismissed in 30 days
             * @example 0.5
             */
            weight: number;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description of an earlier decision about the same target
             * @example null
             */
            outcome: components["schemas"]["CaseOutcomeOrNull"];
        };
        ReportCaseDetails: {
            /**
             * @description kind and id of the target
             * @example user-6650c3a2f1d2b3c4d5e6f709
             */
            id: string;
            /** @example user */
            targetKind: components["schemas"]["ReportTargetKind"];
            /** @example 6650c3a2f1d2b3c4d5e6f709 */
            targetId: string;
            /**
             * @description the author of the target, or the reported account
             * @example 6650c3a2f1d2b3c4d5e6f709
             */
            ownerId: string;
            /**
             * @description title, name, or the beginning of a comment, when it was reported
             * @example Rui Demo
             */
            title: string;
            /** @example open */
            state: components["schemas"]["CaseState"];
            /**
             * @description of a closed case; `deleted`: the target was deleted; `acted`: a moderator acted
             * @example null
             */
            outcome: components["schemas"]["CaseOutcomeOrNull"];
            /**
             * Format: double
             * @description sum of the weights of the reports
             * @example 2.5
             */
            weight: number;
            /**
             * Format: int64
             * @description since the case was opened
             * @example 3
             */
            reportsCount: number;
            /** @description most frequent first */
            reasons: components["schemas"]["ReasonCount"][];
            /** @description the moderator who works on it; null: none */
            claim: components["schemas"]["ShownClaim"] | null;
            /**
             * Format: date-time
             * @description of the first report
             * @example 2026-11-29T10:00:00.000Z
             */
            firstAt: string;
            /**
             * Format: date-time
             * @description of the last report
             * @example 2026-11-29T10:00:00.000Z
             */
            lastAt: string;
            /**
             * Format: date-time
             * @example null
             */
            closedAt: string | null;
            /**
             * @description of the moderator who closed it; may be empty
             * @example
             */
            note: string;
            /** @description `ownerId`; null if it was deleted */
            owner: components["schemas"]["Author"] | null;
            /** @description now; null if it was deleted */
            content: components["schemas"]["TargetSummary"] | null;
            /** @description at the first report; null if its encryption key is no longer configured */
            reported: components["schemas"]["ReportedContent"] | null;
            /** @description now; null if it was deleted */
            current: components["schemas"]["ReportedContent"] | null;
            /**
             * @description sanitized, of a post or a comment: `current`, or `reported` if it was deleted; null for other kinds
             * @example null
             */
            html: string | null;
            /** @description latest first */
            reports: components["schemas"]["CaseReport"][];
            /**
             * Format: int64
             * @description other cases about the same account: open, or closed within 30 days
             * @example 0
             */
            otherCasesCount: number;
            /** @description on the target, latest first */
            actions: components["schemas"]["ModerationAction"][];
            /** @description on the account and its content, latest first */
            ownerActions: components["schemas"]["ModerationAction"][];
        };
        CaseClaim: {
            /** @example 6650c3a2f1d2b3c4d5e6f7b1 */
            moderatorId: string;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            until: string;
        };
        DismissCaseInput: {
            /**
             * @description plain text, for other moderators (default: empty)
             * @example A misunderstanding.
             */
            note?: string;
        };
        CreateModerationActionInput: {
            /**
             * @description `remove`, `restore`: content, notes, a profile or an image; `lock`, `unlock`: a post; others: an account; `lift` ends `limit`, `suspend` and `ban`
             * @example suspend
             * @enum {string}
             */
            kind: "remove" | "restore" | "lock" | "unlock" | "warn" | "limit" | "suspend" | "ban" | "lift";
            /**
             * @description `note`: the notes of a collection; `profile`: texts, names and the image of an account
             * @example user
             * @enum {string}
             */
            targetKind: "post" | "comment" | "collection" | "note" | "profile" | "media" | "user";
            /**
             * @description of the post, comment, image, collection (`note`) or account (`profile`)
             * @example 6650c3a2f1d2b3c4d5e6f709
             */
            targetId?: string;
            /**
             * @description up to 100 targets, in place of `targetId`
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f701",
             *       "6650c3a2f1d2b3c4d5e6f709"
             *     ]
             */
            targetIds?: string[];
            /** @example spam */
            reasonCode: components["schemas"]["ReportReason"];
            /**
             * @description plain text, for the affected account
             * @example You sent the same advertisement to many accounts.
             */
            publicReason: string;
            /**
             * @description plain text, for moderators (default: empty)
             * @example The third time.
             */
            privateNote?: string;
            /**
             * Format: date-time
             * @description RFC 3339 with an offset, only for `limit`, `suspend` and `ban`; default: until `lift`
             * @example 2099-12-31T00:00:00Z
             */
            until?: string;
            /**
             * @description only for `suspend`: lists omit the content; default: as before
             * @example true
             */
            hideContent?: boolean;
            /**
             * @description only for `limit`, `suspend` and `ban`: removes posts, comments and collections until the restriction ends (default: `false`)
             * @example false
             */
            removeEverything?: boolean;
            /**
             * @description only for `ban`: registrations from the networks of the account wait for approval until the ban ends, at most 30 days (default: `false`)
             * @example false
             */
            includeNetwork?: boolean;
            /**
             * @description a case about the account or its content, which closes; default: the open case of the target, except for `restore`, `unlock` and `lift`
             * @example user-6650c3a2f1d2b3c4d5e6f709
             */
            caseId?: string;
            /**
             * @description only for `remove` of a profile; default: all but `username`, which becomes a generated name
             * @example [
             *       "bio",
             *       "links"
             *     ]
             */
            fields?: ("username" | "fullName" | "bio" | "headline" | "location" | "interests" | "links" | "profilePicture")[];
            /**
             * @description only for `remove` of notes: those on these posts; default: all of the collection
             * @example [
             *       "6650c3a2f1d2b3c4d5e6f708"
             *     ]
             */
            postIds?: string[];
        };
        ActionOutcome: {
            /** @example 6650c3a2f1d2b3c4d5e6f709 */
            targetId: string;
            /** @description null: no action, see `code` */
            action: components["schemas"]["ModerationAction"] | null;
            /**
             * @description the error of this target; null with an action
             * @example null
             * @enum {string|null}
             */
            code: "malformed_request" | "malformed_body" | "invalid_input" | "invalid_id" | "invalid_cursor" | "cursor_expired" | "invalid_reset_token" | "invalid_email_token" | "invalid_passkey" | "invalid_expiry" | "invalid_webhook_url" | "invalid_webhook_events" | "invalid_schedule" | "invalid_range" | "invalid_alias" | "invalid_visibility" | "missing_refresh_token" | "follow_self" | "block_self" | "comment_too_deep" | "invalid_code" | "sign_in_not_begun" | "invalid_image" | "import_failed" | "invalid_archive" | "parent_mismatch" | "unauthorized" | "invalid_token" | "invalid_credentials" | "invalid_refresh_token" | "second_factor_required" | "recent_sign_in_required" | "invalid_mfa_token" | "invalid_stream_ticket" | "forbidden" | "foreign_origin" | "blocked" | "report_self" | "account_suspended" | "account_banned" | "email_not_verified" | "registration_closed" | "invalid_invite" | "invalid_setup_code" | "invalid_export_link" | "insufficient_scope" | "not_found" | "post_not_found" | "user_not_found" | "export_not_found" | "import_not_found" | "api_token_not_found" | "invite_not_found" | "webhook_not_found" | "webhook_delivery_not_found" | "filter_not_found" | "rule_not_found" | "sign_up_not_found" | "session_not_found" | "comment_not_found" | "revision_not_found" | "media_not_found" | "draft_not_found" | "collection_not_found" | "case_not_found" | "action_not_found" | "appeal_not_found" | "notification_not_found" | "push_not_configured" | "provider_not_found" | "identity_not_found" | "passkey_not_found" | "method_not_allowed" | "request_timeout" | "username_taken" | "username_limit" | "email_taken" | "email_changed_lately" | "identity_taken" | "setup_done" | "last_admin" | "last_sign_in_method" | "second_factor_on" | "second_factor_off" | "too_many_passkeys" | "too_many_featured" | "case_claimed" | "case_closed" | "post_hidden" | "post_locked" | "post_not_locked" | "standing_unchanged" | "not_appealable" | "already_appealed" | "appeal_decided" | "not_personalised" | "too_many_follows" | "too_many_tags" | "too_many_blocks" | "too_many_mutes" | "filter_exists" | "rule_exists" | "too_many_rules" | "too_many_webhooks" | "webhook_disabled" | "too_many_filters" | "too_many_hidden_posts" | "too_many_bells" | "too_many_collections" | "too_many_exports" | "import_running" | "too_many_imports" | "too_many_invites" | "too_many_api_tokens" | "collection_full" | "post_in_other_series" | "invalid_place" | "too_many_drafts" | "media_quota" | "media_in_use" | "draft_exists" | "collection_removed" | "post_removed" | "already_removed" | "not_removed" | "draft_incomplete" | "request_in_progress" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "range_not_satisfiable" | "idempotency_key_reused" | "content_rejected" | "mail_domain_refused" | "newcomer_content" | "precondition_required" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "headers_too_large" | "internal_error" | "overloaded" | "database_unavailable" | "database_upgraded" | "media_unavailable" | "search_not_ready" | "shutting_down" | null;
        };
        ActionOutcomes: {
            /** @description in the order of `targetIds` */
            data: components["schemas"]["ActionOutcome"][];
        };
        Appeal: {
            /** @example open */
            state: components["schemas"]["AppealState"];
            /** @example I named my sources in the first paragraph. */
            text: string;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example null
             */
            decidedAt: string | null;
            /**
             * @description of the decision; empty while the appeal is open
             * @example
             */
            reason: string;
            action: components["schemas"]["ModerationAction"];
            /**
             * @description the affected account
             * @example 6650c3a2f1d2b3c4d5e6f701
             */
            userId: string;
            /**
             * @description the moderator; null while the appeal is open, or for the operator
             * @example null
             */
            decidedBy: string | null;
            /** @description `userId`; null if it was deleted */
            account: components["schemas"]["Author"] | null;
            /** @description who acted; null for the operator and the system */
            moderator: components["schemas"]["Author"] | null;
            /** @description of the action, now; null if it was deleted */
            content: components["schemas"]["TargetSummary"] | null;
        };
        AppealPage: {
            data: components["schemas"]["Appeal"][];
            page: components["schemas"]["PageInfo"];
        };
        DecideAppealInput: {
            /**
             * @description true ends the effect of the action
             * @example true
             */
            isAccepted: boolean;
            /**
             * @description plain text, for the affected account
             * @example You are right, and we are sorry.
             */
            publicReason: string;
        };
        Waiting: {
            /**
             * Format: int64
             * @example 3
             */
            count: number;
            /**
             * Format: date-time
             * @description of the oldest; null: none
             * @example 2026-11-29T10:00:00.000Z
             */
            oldestAt: string | null;
        };
        ModerationSummary: {
            /** @description open cases */
            cases: components["schemas"]["Waiting"];
            /** @description open appeals */
            appeals: components["schemas"]["Waiting"];
            /** @description registrations that wait for approval */
            signUps: components["schemas"]["Waiting"];
        };
        RemovedText: {
            /**
             * @description field of the profile, or id of the post
             * @example bio
             */
            name: string;
            /** @example Cheap followers at shop.example. */
            text: string;
        };
        OwnAppeal: {
            /** @example open */
            state: components["schemas"]["AppealState"];
            /** @example I named my sources in the first paragraph. */
            text: string;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example null
             */
            decidedAt: string | null;
            /**
             * @description of the decision; empty while the appeal is open
             * @example
             */
            reason: string;
        };
        OwnAction: {
            /** @example 6650c3a2f1d2b3c4d5e6f7b0 */
            id: string;
            /**
             * @description the account that performed the action; null: the operator with the CLI, the system, or a name that the site does not show
             * @example 6650c3a2f1d2b3c4d5e6f7b1
             */
            actorId: string | null;
            /**
             * @description its role at that time
             * @example moderator
             */
            actorRole: components["schemas"]["ActorRole"];
            /** @example remove */
            kind: components["schemas"]["ModerationActionKind"];
            /** @example comment */
            targetKind: components["schemas"]["ModerationTargetKind"];
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            targetId: string;
            /**
             * @description of content: the account it belongs to; of an action on an account: the account
             * @example 6650c3a2f1d2b3c4d5e6f709
             */
            ownerId: string | null;
            /** @example spam */
            reasonCode: components["schemas"]["ReportReasonOrNull"];
            /**
             * @description for the affected account; may be empty
             * @example The same advertisement, again.
             */
            publicReason: string;
            /**
             * Format: date-time
             * @description the end of a restriction
             * @example null
             */
            until: string | null;
            /**
             * @description the action that this one undoes
             * @example null
             */
            reverses: string | null;
            /**
             * Format: date-time
             * @example 2026-11-24T10:00:00.000Z
             */
            createdAt: string;
            /**
             * @description whether a later action undid it
             * @example false
             */
            isReversed: boolean;
            /**
             * @description whether `POST /v1/appeals` accepts an appeal
             * @example true
             */
            canAppeal: boolean;
            /** @description what a removal of a profile or notes has emptied, while it can be restored */
            removedTexts: components["schemas"]["RemovedText"][];
            appeal: components["schemas"]["OwnAppeal"] | null;
        };
        OwnActionPage: {
            data: components["schemas"]["OwnAction"][];
            page: components["schemas"]["PageInfo"];
        };
        AppealByMailInput: {
            /**
             * @description plain text, for moderators
             * @example I named my sources in the first paragraph.
             */
            text: string;
            /**
             * @description the part of the link in the mail after `#token=`
             * @example b0p1q3kNw7d5cJx0yV2m8u4sZtRfHgL6aXeQiWoUjYk
             */
            token: string;
        };
        CreateAppealInput: {
            /**
             * @description of the action
             * @example 6650c3a2f1d2b3c4d5e6f7b0
             */
            actionId: string;
            /**
             * @description plain text, for moderators
             * @example I named my sources in the first paragraph.
             */
            text: string;
        };
        CreateDraftInput: {
            /**
             * @description letters, digits and hyphens; stored in lower case without duplicates
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags?: string[];
            /**
             * Format: uri-reference
             * @description https, without credentials, or the address of an image of yours
             * @example null
             */
            thumbnailUrl?: string | null;
            /**
             * @description the id of an image of yours; takes precedence over `thumbnailUrl`, null does not
             * @example null
             */
            thumbnailMediaId?: string | null;
            /**
             * @description below the title, and in link cards and feeds in place of the beginning of the text
             * @example What it can do, and what it cannot
             */
            subtitle?: string | null;
            /**
             * Format: uri
             * @description URL of the first publication, which search engines show
             * @example https://blog.example.org/notes-on-the-analytical-engine
             */
            canonicalUrl?: string | null;
            /**
             * @description of `content`; `html` is stored as Markdown, and `dropped` of the response names what was dropped (default: `markdown`)
             * @example markdown
             */
            contentFormat?: components["schemas"]["ContentFormat"];
            /** @example Notes on the Analytical Engine */
            title?: string;
            /**
             * @description Markdown
             * @example # Notes
             *
             *     It weaves *algebraic patterns*
             */
            content?: string;
            /** @example article */
            type?: components["schemas"]["PostTypeOrNull"];
            /**
             * @description of the post when it is published; null: `public` for a new post, unchanged for an edit
             * @example null
             */
            visibility?: components["schemas"]["VisibilityOrNull"];
            /**
             * @description one of my posts: the draft starts with its text, and publishing the draft edits the post
             * @example null
             */
            postId?: string | null;
        };
        Draft: {
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /**
             * Format: uri
             * @description URL of the first publication, if it was on another site
             * @example null
             */
            canonicalUrl: string | null;
            /**
             * Format: int32
             * @example 3
             */
            version: number;
            /** @example Notes on the Engine */
            title: string;
            /**
             * @description null only for drafts
             * @example article
             */
            type: components["schemas"]["PostTypeOrNull"];
            /**
             * Format: int32
             * @description size of the Markdown in UTF-8
             * @example 2048
             */
            bytes: number;
            /**
             * Format: date-time
             * @description time at which this version was saved
             * @example 2026-05-01T09:30:00.000Z
             */
            savedAt: string;
            /** @example 6650c3a2f1d2b3c4d5e6f70d */
            id: string;
            /**
             * @description the post that it edits; null for a new post, and if that post was deleted
             * @example null
             */
            postId: string | null;
            /**
             * @description `failed`: it was scheduled and could not be published; `trashed`: a post that you deleted at `savedAt`; `id` is its id
             * @example open
             */
            state: components["schemas"]["DraftState"];
            /**
             * Format: date-time
             * @description time of the scheduled publication
             * @example null
             */
            publishAt: string | null;
            /**
             * @description code of the error that prevented its publication
             * @example null
             */
            failure: string | null;
            /**
             * @description of the post when it is published; null: `public` for a new post, unchanged for an edit
             * @example null
             */
            visibility: components["schemas"]["VisibilityOrNull"];
            /**
             * Format: date-time
             * @description expiry of its share link
             * @example null
             */
            sharedUntil: string | null;
            /**
             * @description the import of an archive that created it
             * @example null
             */
            importId: string | null;
            /**
             * Format: date-time
             * @description of an imported text: when it was published elsewhere
             * @example null
             */
            importedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /** @description only after a write with `contentFormat: html`: elements that were dropped, most frequent first */
            dropped?: components["schemas"]["DroppedElement"][];
            /**
             * @description Markdown
             * @example # Notes
             */
            content: string;
        };
        DraftCard: {
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /**
             * Format: uri
             * @description URL of the first publication, if it was on another site
             * @example null
             */
            canonicalUrl: string | null;
            /**
             * Format: int32
             * @example 3
             */
            version: number;
            /** @example Notes on the Engine */
            title: string;
            /**
             * @description null only for drafts
             * @example article
             */
            type: components["schemas"]["PostTypeOrNull"];
            /**
             * Format: int32
             * @description size of the Markdown in UTF-8
             * @example 2048
             */
            bytes: number;
            /**
             * Format: date-time
             * @description time at which this version was saved
             * @example 2026-05-01T09:30:00.000Z
             */
            savedAt: string;
            /** @example 6650c3a2f1d2b3c4d5e6f70d */
            id: string;
            /**
             * @description the post that it edits; null for a new post, and if that post was deleted
             * @example null
             */
            postId: string | null;
            /**
             * @description `failed`: it was scheduled and could not be published; `trashed`: a post that you deleted at `savedAt`; `id` is its id
             * @example open
             */
            state: components["schemas"]["DraftState"];
            /**
             * Format: date-time
             * @description time of the scheduled publication
             * @example null
             */
            publishAt: string | null;
            /**
             * @description code of the error that prevented its publication
             * @example null
             */
            failure: string | null;
            /**
             * @description of the post when it is published; null: `public` for a new post, unchanged for an edit
             * @example null
             */
            visibility: components["schemas"]["VisibilityOrNull"];
            /**
             * Format: date-time
             * @description expiry of its share link
             * @example null
             */
            sharedUntil: string | null;
            /**
             * @description the import of an archive that created it
             * @example null
             */
            importId: string | null;
            /**
             * Format: date-time
             * @description of an imported text: when it was published elsewhere
             * @example null
             */
            importedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /** @description only after a write with `contentFormat: html`: elements that were dropped, most frequent first */
            dropped?: components["schemas"]["DroppedElement"][];
        };
        DraftPage: {
            data: components["schemas"]["DraftCard"][];
            page: components["schemas"]["PageInfo"];
        };
        SaveDraftInput: {
            /**
             * @description letters, digits and hyphens; stored in lower case without duplicates
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags?: string[];
            /**
             * Format: uri-reference
             * @description https, without credentials, or the address of an image of yours
             * @example null
             */
            thumbnailUrl?: string | null;
            /**
             * @description the id of an image of yours; takes precedence over `thumbnailUrl`, null does not
             * @example null
             */
            thumbnailMediaId?: string | null;
            /**
             * @description below the title, and in link cards and feeds in place of the beginning of the text
             * @example What it can do, and what it cannot
             */
            subtitle?: string | null;
            /**
             * Format: uri
             * @description URL of the first publication, which search engines show
             * @example https://blog.example.org/notes-on-the-analytical-engine
             */
            canonicalUrl?: string | null;
            /**
             * @description of `content`; `html` is stored as Markdown, and `dropped` of the response names what was dropped
             * @example markdown
             */
            contentFormat?: components["schemas"]["ContentFormat"];
            /** @example Notes on the Analytical Engine */
            title?: string;
            /**
             * @description Markdown
             * @example # Notes
             *
             *     It weaves *algebraic patterns*
             */
            content?: string;
            /** @example article */
            type?: components["schemas"]["PostTypeOrNull"];
            /**
             * @description of the post when it is published; null: `public` for a new post, unchanged for an edit
             * @example null
             */
            visibility?: components["schemas"]["VisibilityOrNull"];
        };
        ScheduleDraftInput: {
            /**
             * Format: date-time
             * @description RFC 3339 with an offset; 5 minutes to a year ahead
             * @example 2027-01-01T09:00:00Z
             */
            publishAt: string;
        };
        DraftLink: {
            /**
             * @description only in this response; anyone who has it can read the draft
             * @example /v1/shared-drafts/3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s
             */
            path: string;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            expiresAt: string;
        };
        SharedDraft: {
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /**
             * Format: uri
             * @description URL of the first publication, if it was on another site
             * @example null
             */
            canonicalUrl: string | null;
            /**
             * Format: int32
             * @example 3
             */
            version: number;
            /** @example Notes on the Engine */
            title: string;
            /**
             * @description null only for drafts
             * @example article
             */
            type: components["schemas"]["PostTypeOrNull"];
            /**
             * Format: int32
             * @description size of the Markdown in UTF-8
             * @example 2048
             */
            bytes: number;
            /**
             * Format: date-time
             * @description time at which this version was saved
             * @example 2026-05-01T09:30:00.000Z
             */
            savedAt: string;
            /**
             * @description Markdown
             * @example # Notes
             */
            content: string;
            author: components["schemas"]["Author"];
        };
        VoteInput: {
            /**
             * @description the new vote; replaces an earlier one
             * @example like
             */
            value: components["schemas"]["VoteChoice"];
        };
        VoteCounts: {
            /**
             * Format: int64
             * @example 128
             */
            likesCount: number;
            /**
             * Format: int64
             * @example 3
             */
            dislikesCount: number;
        };
        Vote: {
            /**
             * @description the post, comment or collection
             * @example 6650c3a2f1d2b3c4d5e6f708
             */
            targetId: string;
            /**
             * @description your vote after the change
             * @example like
             */
            value: components["schemas"]["VoteChoiceOrNull"];
            /** @description counts after the change; null if you removed a vote on something that you cannot read */
            stats: components["schemas"]["VoteCounts"] | null;
        };
        Voter: {
            user: components["schemas"]["Author"];
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            votedAt: string;
        };
        VoterPage: {
            data: components["schemas"]["Voter"][];
            page: components["schemas"]["PageInfo"];
        };
        Save: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            postId: string;
            /** @example true */
            isSaved: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            savedAt: string | null;
        };
        Hide: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            postId: string;
            /** @example true */
            isHidden: boolean;
        };
        FollowedCollection: {
            /** @example 6650c3a2f1d2b3c4d5e6f70a */
            collectionId: string;
            /** @description null if its owner made it private */
            collection: components["schemas"]["Collection"] | null;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            since: string;
        };
        FollowedCollectionPage: {
            data: components["schemas"]["FollowedCollection"][];
            page: components["schemas"]["PageInfo"];
        };
        CollectionFollow: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            collectionId: string;
            /** @example true */
            isFollowing: boolean;
            /**
             * Format: int64
             * @description number of its followers after the change; null if you cannot read the collection
             * @example 8
             */
            followersCount: number | null;
        };
        NotifiedTarget: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /** @example notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708 */
            slug: string;
            /** @example Notes on the Analytical Engine */
            title: string;
        };
        NotifiedComment: {
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            id: string;
            /**
             * @description Markdown
             * @example The third table settles it.
             */
            content: string;
        };
        NotifiedDraft: {
            /** @example 6650c3a2f1d2b3c4d5e6f70d */
            id: string;
            /** @example Notes on the Analytical Engine */
            title: string;
            /**
             * @description the code of the error
             * @example draft_incomplete
             */
            failure: string;
        };
        NotifiedAction: {
            /** @example 6650c3a2f1d2b3c4d5e6f7b0 */
            id: string;
            /** @example remove */
            kind: components["schemas"]["ModerationActionKind"];
            /** @example post */
            targetKind: components["schemas"]["ModerationTargetKind"];
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            targetId: string;
            /** @example The same advertisement, again. */
            publicReason: string;
            /**
             * Format: date-time
             * @description the end of a restriction
             * @example null
             */
            until: string | null;
        };
        NotifiedCase: {
            /**
             * @description of the case
             * @example user-6650c3a2f1d2b3c4d5e6f709
             */
            id: string;
            /** @example user */
            targetKind: components["schemas"]["ReportTargetKind"];
            /** @example 6650c3a2f1d2b3c4d5e6f709 */
            targetId: string;
            /**
             * @description as in the case
             * @example demo_reader
             */
            title: string;
            /**
             * Format: int64
             * @example 1
             */
            reportsCount: number;
        };
        Notification: {
            /** @example ZlDDovHSs8TV5vcBCWZQw6Lx0rPE1eb3CE2b */
            id: string;
            /** @example comment */
            kind: components["schemas"]["NotificationKind"];
            post: components["schemas"]["NotifiedTarget"] | null;
            /** @description the latest comment or reply; for `like_comment` and `mention`, the liked or mentioning comment */
            comment: components["schemas"]["NotifiedComment"] | null;
            /** @description only for `collected`: the latest collection */
            collection: components["schemas"]["NotifiedTarget"] | null;
            /** @description only for `draft_failed` */
            draft: components["schemas"]["NotifiedDraft"] | null;
            /** @description only for `moderation` */
            action: components["schemas"]["NotifiedAction"] | null;
            /** @description only for `case`, which moderators get */
            case: components["schemas"]["NotifiedCase"] | null;
            /** @description the latest accounts */
            actors: components["schemas"]["Author"][];
            /**
             * Format: int64
             * @description number of accounts, up to 100
             * @example 12
             */
            actorsCount: number;
            /**
             * @description true if there may be more than `actorsCount`
             * @example false
             */
            isCapped: boolean;
            /** @example false */
            isRead: boolean;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description time of the latest addition
             * @example 2026-05-01T09:30:00.000Z
             */
            updatedAt: string;
        };
        Unread: {
            /**
             * Format: int64
             * @example 4
             */
            count: number;
            /**
             * @description true if there may be more than `count`
             * @example false
             */
            isCapped: boolean;
        };
        NotificationPage: {
            data: components["schemas"]["Notification"][];
            page: components["schemas"]["PageInfo"];
            unread: components["schemas"]["Unread"];
        };
        MarkReadInput: {
            /**
             * @description id of the latest notification to mark as read; all notifications if absent
             * @example ZlDDovHSs8TV5vcBCWZQw6Lx0rPE1eb3CE2b
             */
            upTo?: string;
        };
        NotificationSettings: {
            /**
             * @description comments on my posts
             * @example app
             */
            comment: components["schemas"]["NotificationDelivery"];
            /**
             * @description replies to my comments
             * @example app
             */
            reply: components["schemas"]["NotificationDelivery"];
            /**
             * @description comments on posts I watch
             * @example app
             */
            watched: components["schemas"]["NotificationDelivery"];
            /**
             * @description new followers
             * @example app
             */
            follow: components["schemas"]["NotificationDelivery"];
            /**
             * @description likes of my posts
             * @example app
             */
            like_post: components["schemas"]["NotificationDelivery"];
            /**
             * @description likes of my comments
             * @example app
             */
            like_comment: components["schemas"]["NotificationDelivery"];
            /**
             * @description my posts in public collections of others
             * @example app
             */
            collected: components["schemas"]["NotificationDelivery"];
            /**
             * @description new posts of accounts with a bell
             * @example app
             */
            new_post: components["schemas"]["NotificationDelivery"];
            /**
             * @description my scheduled drafts that were published
             * @example app
             */
            draft_published: components["schemas"]["NotificationDelivery"];
            /**
             * @description my scheduled drafts that could not be published
             * @example app
             */
            draft_failed: components["schemas"]["NotificationDelivery"];
            /**
             * @description posts and comments that mention me
             * @example app
             */
            mention: components["schemas"]["NotificationDelivery"];
            /**
             * @description actions of moderators on my account and content, and decisions about my appeals
             * @example app
             */
            moderation: components["schemas"]["NotificationDelivery"];
            /**
             * @description new cases of reports, for moderators
             * @example app
             */
            case: components["schemas"]["NotificationDelivery"];
            /**
             * @description replies to the comments of others on my posts, and on those that `threads` adds
             * @example app
             */
            thread: components["schemas"]["NotificationDelivery"];
            /**
             * @description `own`: `thread` is about my posts; `watched`: also about posts I watch
             * @example own
             */
            threads: components["schemas"]["NotifiedThreads"];
            /**
             * @description by any account, or only by accounts I follow; not for new posts, drafts and moderation
             * @example everyone
             */
            from: components["schemas"]["NotificationSource"];
            /**
             * @description mails with unread notifications and top posts
             * @example off
             */
            digest: components["schemas"]["DigestFrequency"];
            /**
             * Format: int32
             * @description of digests, in `timeZone`
             * @example 8
             */
            digestHour: number;
            /**
             * @description of the IANA database
             * @example Europe/Berlin
             */
            timeZone: string;
        };
        UpdateNotificationSettingsInput: {
            /**
             * @description comments on my posts
             * @example app
             */
            comment?: components["schemas"]["NotificationDelivery"];
            /**
             * @description replies to my comments
             * @example app
             */
            reply?: components["schemas"]["NotificationDelivery"];
            /**
             * @description comments on posts I watch
             * @example app
             */
            watched?: components["schemas"]["NotificationDelivery"];
            /**
             * @description new followers
             * @example app
             */
            follow?: components["schemas"]["NotificationDelivery"];
            /**
             * @description likes of my posts
             * @example app
             */
            like_post?: components["schemas"]["NotificationDelivery"];
            /**
             * @description likes of my comments
             * @example app
             */
            like_comment?: components["schemas"]["NotificationDelivery"];
            /**
             * @description my posts in public collections of others
             * @example app
             */
            collected?: components["schemas"]["NotificationDelivery"];
            /**
             * @description new posts of accounts with a bell
             * @example app
             */
            new_post?: components["schemas"]["NotificationDelivery"];
            /**
             * @description my scheduled drafts that were published
             * @example app
             */
            draft_published?: components["schemas"]["NotificationDelivery"];
            /**
             * @description my scheduled drafts that could not be published
             * @example app
             */
            draft_failed?: components["schemas"]["NotificationDelivery"];
            /**
             * @description posts and comments that mention me
             * @example app
             */
            mention?: components["schemas"]["NotificationDelivery"];
            /**
             * @description actions of moderators on my account and content, and decisions about my appeals
             * @example app
             */
            moderation?: components["schemas"]["NotificationDelivery"];
            /**
             * @description new cases of reports, for moderators
             * @example app
             */
            case?: components["schemas"]["NotificationDelivery"];
            /**
             * @description replies to the comments of others on my posts, and on those that `threads` adds
             * @example app
             */
            thread?: components["schemas"]["NotificationDelivery"];
            /**
             * @description `own`: `thread` is about my posts; `watched`: also about posts I watch
             * @example own
             */
            threads?: components["schemas"]["NotifiedThreads"];
            /**
             * @description by any account, or only by accounts I follow; not for new posts, drafts and moderation
             * @example everyone
             */
            from?: components["schemas"]["NotificationSource"];
            /**
             * @description mails with unread notifications and top posts
             * @example off
             */
            digest?: components["schemas"]["DigestFrequency"];
            /**
             * Format: int32
             * @description of digests, in `timeZone`
             * @example 8
             */
            digestHour?: number;
            /**
             * @description of the IANA database
             * @example Europe/Berlin
             */
            timeZone?: string;
        };
        NotificationEvent: {
            /**
             * @example notification
             * @enum {string}
             */
            event: "notification";
            /**
             * @description the position after it, for `Last-Event-ID`
             * @example 6650c3a2f1d2b3c4d5e6f708
             */
            id: string;
            /** @example {"kind":"follow"} */
            data: string;
        };
        UnreadEvent: {
            /**
             * @example unread
             * @enum {string}
             */
            event: "unread";
            /**
             * @description the position after it, for `Last-Event-ID`
             * @example 6650c3a2f1d2b3c4d5e6f708
             */
            id: string;
            /** @example {"count":1,"isCapped":false} */
            data: string;
        };
        ResetEvent: {
            /**
             * @example reset
             * @enum {string}
             */
            event: "reset";
            /**
             * @description the position after it, for `Last-Event-ID`
             * @example 6650c3a2f1d2b3c4d5e6f708
             */
            id: string;
            /** @example {} */
            data: string;
        };
        StreamTicket: {
            /** @example 3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s */
            ticket: string;
            /**
             * Format: int32
             * @description seconds
             * @example 60
             */
            expiresIn: number;
        };
        PushKey: {
            /**
             * @description `applicationServerKey` of `pushManager.subscribe`
             * @example BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4
             */
            publicKey: string;
        };
        PushKeysInput: {
            /**
             * @description public key of the browser
             * @example BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4
             */
            p256dh: string;
            /**
             * @description secret of the browser
             * @example BTBZMqHH6r4Tts7J_aSIgg
             */
            auth: string;
        };
        CreatePushSubscriptionInput: {
            /**
             * @description of the push service
             * @example https://push.example.org/wpush/v2/3yqk0T0yQ0mVfJ2x8V6o
             */
            endpoint: string;
            /**
             * @description ignored: the push service says when a subscription has ended
             * @example null
             */
            expirationTime?: number | null;
            keys: components["schemas"]["PushKeysInput"];
        };
        PushSubscription: {
            /**
             * @description SHA-256 of the endpoint, in base64url
             * @example 3yqk0T0yQ0mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU2s
             */
            id: string;
            /**
             * @description of the push service
             * @example push.example.org
             */
            host: string | null;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
        };
        PushSubscriptionList: {
            data: components["schemas"]["PushSubscription"][];
        };
        WatchPostInput: {
            /**
             * @description `watching`: new comments; `muted`: no notifications about its comments and replies
             * @example watching
             */
            level: components["schemas"]["WatchLevel"];
        };
        WatchedPost: {
            post: components["schemas"]["PostCard"];
            /** @example watching */
            level: components["schemas"]["WatchLevel"];
        };
        WatchedPostPage: {
            data: components["schemas"]["WatchedPost"][];
            page: components["schemas"]["PageInfo"];
        };
        Bell: {
            user: components["schemas"]["Author"];
        };
        BellPage: {
            data: components["schemas"]["Bell"][];
            page: components["schemas"]["PageInfo"];
        };
        CreateWebhookInput: {
            /**
             * Format: uri
             * @description https, of a public host
             * @example https://hooks.example.org/opencanvas
             */
            url: string;
            /**
             * @description events of your posts, of comments on them, of your comments, and of follows of you; or of the whole site
             * @example [
             *       "post.published",
             *       "post.updated"
             *     ]
             */
            events: components["schemas"]["WebhookEvent"][];
            /**
             * @description only for you (default: empty)
             * @example rebuilds my site
             */
            description?: string;
            /**
             * @description events of all accounts, and of the administration; only for admins (default: `false`)
             * @example false
             */
            isSiteWide?: boolean;
        };
        NewWebhook: {
            /** @example 6650c3a2f1d2b3c4d5e6f7d0 */
            id: string;
            /**
             * Format: uri
             * @example https://hooks.example.org/opencanvas
             */
            url: string;
            /**
             * @example [
             *       "post.published",
             *       "post.updated"
             *     ]
             */
            events: components["schemas"]["WebhookEvent"][];
            /**
             * @description whether it receives the events of all accounts
             * @example false
             */
            isSiteWide: boolean;
            /** @example rebuilds my site */
            description: string;
            /** @example true */
            isEnabled: boolean;
            /**
             * @description `gone`: the receiver responded 410; `failures`: no attempt succeeded for three days
             * @example null
             */
            disabledReason: components["schemas"]["WebhookDisabledReasonOrNull"];
            /**
             * Format: date-time
             * @description time of the first failure since the last success
             * @example null
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            updatedAt: string;
            /**
             * @description verifies signatures; only in this response
             * @example whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0x9G0Rk1sRw=
             */
            secret: string;
        };
        Webhook: {
            /** @example 6650c3a2f1d2b3c4d5e6f7d0 */
            id: string;
            /**
             * Format: uri
             * @example https://hooks.example.org/opencanvas
             */
            url: string;
            /**
             * @example [
             *       "post.published",
             *       "post.updated"
             *     ]
             */
            events: components["schemas"]["WebhookEvent"][];
            /**
             * @description whether it receives the events of all accounts
             * @example false
             */
            isSiteWide: boolean;
            /** @example rebuilds my site */
            description: string;
            /** @example true */
            isEnabled: boolean;
            /**
             * @description `gone`: the receiver responded 410; `failures`: no attempt succeeded for three days
             * @example null
             */
            disabledReason: components["schemas"]["WebhookDisabledReasonOrNull"];
            /**
             * Format: date-time
             * @description time of the first failure since the last success
             * @example null
             */
            failingSince: string | null;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            updatedAt: string;
        };
        WebhookList: {
            data: components["schemas"]["Webhook"][];
        };
        UpdateWebhookInput: {
            /**
             * Format: uri
             * @description https, of a public host
             * @example https://hooks.example.org/opencanvas
             */
            url?: string;
            /**
             * @description events of your posts, of comments on them, of your comments, and of follows of you; or of the whole site
             * @example [
             *       "post.published",
             *       "post.updated"
             *     ]
             */
            events?: components["schemas"]["WebhookEvent"][];
            /**
             * @description only for you
             * @example rebuilds my site
             */
            description?: string;
            /**
             * @description `false` stops new deliveries; `true` also ends a `disabledReason`
             * @example true
             */
            isEnabled?: boolean;
        };
        WebhookData: {
            /**
             * @description of the post, comment, account, collection, export, import, action, registration, rule or webhook that the type names; `report.opened`: of the reported content
             * @example 6650c3a2f1d2b3c4d5e6f708
             */
            id: string;
            /**
             * @description of a post
             * @example notes-6650c3a2f1d2b3c4d5e6f708
             */
            slug?: string;
            /**
             * Format: int64
             * @description of a post, comment or profile: grows with each edit, so a receiver can ignore an older one
             * @example 2
             */
            version?: number;
            /**
             * @description the post of a comment
             * @example 6650c3a2f1d2b3c4d5e6f708
             */
            postId?: string;
            /**
             * @description of a follower or account
             * @example demo_writer
             */
            username?: string;
            /**
             * @description of a report, an action or a hit of a rule
             * @example post
             */
            targetKind?: components["schemas"]["ModerationTargetKind"];
            /**
             * @description of an action or a hit of a rule; a rejected text may have no row
             * @example 6650c3a2f1d2b3c4d5e6f708
             */
            targetId?: string;
            /**
             * @description of an import
             * @example ready
             * @enum {string}
             */
            state?: "ready" | "failed";
            /**
             * @description of an import, as in its response
             * @example {
             *       "read": 12,
             *       "drafts": 10,
             *       "problems": 2
             *     }
             */
            counts?: {
                [key: string]: number;
            };
        };
        DeliveryAttempt: {
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            at: string;
            /**
             * Format: int32
             * @description of the response; null without one
             * @example 204
             */
            status: number | null;
            /**
             * @description why there was no response: `refused` (not a public https address), `timeout`, `unreachable`, …
             * @example null
             */
            error: string | null;
            /**
             * Format: int64
             * @description milliseconds
             * @example 84
             */
            durationMs: number;
            /**
             * @description the first 1 kB of the response
             * @example
             */
            response: string;
        };
        WebhookDelivery: {
            /**
             * @description of the event: the header `webhook-id` of each attempt
             * @example 6650c3a2f1d2b3c4d5e6f7d1
             */
            id: string;
            /** @example post.published */
            type: components["schemas"]["WebhookMessageType"];
            data: components["schemas"]["WebhookData"];
            /** @example delivered */
            state: components["schemas"]["WebhookDeliveryState"];
            /** @description oldest first, the latest 20 */
            attempts: components["schemas"]["DeliveryAttempt"][];
            /**
             * Format: date-time
             * @description time of the next attempt after a failure
             * @example null
             */
            nextAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-29T10:00:00.000Z
             */
            createdAt: string;
        };
        WebhookDeliveryPage: {
            data: components["schemas"]["WebhookDelivery"][];
            page: components["schemas"]["PageInfo"];
        };
        ViewerAccount: {
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            id: string;
            /** @example ada_lovelace */
            username: string;
            /** @example Ada Lovelace */
            fullName: string;
            /**
             * Format: uri-reference
             * @example https://images.example.org/ada.jpg
             */
            profilePicture: string | null;
            /** @example user */
            role: components["schemas"]["Role"];
            /**
             * @description null: not restricted
             * @example null
             */
            standing: components["schemas"]["Standing"] | null;
            /**
             * @description whether the owner confirmed the e-mail address
             * @example false
             */
            isEmailVerified: boolean;
        };
        ViewerPost: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            postId: string;
            /** @example like */
            vote: components["schemas"]["VoteChoiceOrNull"];
            /** @example false */
            isSaved: boolean;
            /**
             * @description whether your lists omit the post
             * @example false
             */
            isHidden: boolean;
            /**
             * @description whether you watch or mute the post
             * @example null
             */
            watch: components["schemas"]["WatchLevelOrNull"];
        };
        ViewerComment: {
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            commentId: string;
            /** @example null */
            vote: components["schemas"]["VoteChoiceOrNull"];
        };
        ViewerCollection: {
            /** @example 6650c3a2f1d2b3c4d5e6f70a */
            collectionId: string;
            /** @example null */
            vote: components["schemas"]["VoteChoiceOrNull"];
            /**
             * @description whether you follow the collection
             * @example true
             */
            isFollowing: boolean;
        };
        ViewerUser: {
            /**
             * @description whether you follow this account
             * @example true
             */
            isFollowing: boolean;
            /**
             * @description whether this account follows you
             * @example false
             */
            isFollowedBy: boolean;
            /**
             * @description whether you have a bell for its new posts
             * @example false
             */
            hasBell: boolean;
            /**
             * @description whether you block this account
             * @example false
             */
            isBlocked: boolean;
            /**
             * @description whether you have muted this account
             * @example false
             */
            isMuted: boolean;
            /** @example 6650c3a2f1d2b3c4d5e6f701 */
            userId: string;
        };
        ViewerTag: {
            /** @example mathematics */
            tag: string;
            /**
             * @description whether you follow the tag
             * @example true
             */
            isFollowing: boolean;
        };
        Viewer: {
            /** @description null for an API token without the scope `profile` */
            account: components["schemas"]["ViewerAccount"] | null;
            /** @description unread notifications; null for an API token without the scope `notifications` */
            unread: components["schemas"]["Unread"] | null;
            /** @description one item per post, in the order of the request */
            posts: components["schemas"]["ViewerPost"][];
            /** @description one item per comment, in the order of the request */
            comments: components["schemas"]["ViewerComment"][];
            /** @description one item per collection, in the order of the request */
            collections: components["schemas"]["ViewerCollection"][];
            /** @description one item per account, in the order of the request */
            users: components["schemas"]["ViewerUser"][];
            /** @description one item per tag, in the order of the request */
            tags: components["schemas"]["ViewerTag"][];
        };
        Range: {
            /**
             * Format: int32
             * @example 13
             */
            start: number;
            /**
             * Format: int32
             * @description index of the first character after the range
             * @example 23
             */
            end: number;
        };
        Highlights: {
            title: components["schemas"]["Range"][];
            subtitle: components["schemas"]["Range"][];
            contentPreview: components["schemas"]["Range"][];
        };
        FoundPost: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /**
             * @description path segment of the post: `<slug>-<id>`
             * @example notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708
             */
            slug: string;
            /** @example article */
            type: components["schemas"]["PostType"];
            /** @example Notes on the Analytical Engine */
            title: string;
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * @description the beginning of the text, without markup
             * @example The Analytical Engine weaves algebraic patterns just as the Jacquard loom weaves flowers and leaves.
             */
            contentPreview: string;
            /**
             * Format: int32
             * @description reading time in minutes
             * @example 4
             */
            readTime: number;
            /**
             * @description false: unlisted or private
             * @example true
             */
            isPublic: boolean;
            /**
             * @description whether title, subtitle or content changed after publication
             * @example false
             */
            isEdited: boolean;
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /** @description sizes of the thumbnail if it is an uploaded image of the author, else null */
            thumbnail: components["schemas"]["Picture"] | null;
            author: components["schemas"]["Author"];
            stats: components["schemas"]["PostStats"];
            /**
             * Format: date-time
             * @description when it was first published; for a draft: when it was created
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description in lists: your filters that warn of the text; absent if there are none */
            filtered?: components["schemas"]["Filtered"][];
            /** @description positions of the found words, in UTF-16 units as in JavaScript */
            highlights: components["schemas"]["Highlights"];
        };
        FoundTag: {
            /** @example poetry */
            tag: string;
            /**
             * Format: int64
             * @description number of public posts with the tag
             * @example 31
             */
            postsCount: number;
        };
        CommentHighlights: {
            content: components["schemas"]["Range"][];
        };
        FoundComment: {
            /** @example 6650c3a2f1d2b3c4d5e6f70b */
            id: string;
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            postId: string;
            /**
             * @description null for a comment on the post itself
             * @example null
             */
            parentId: string | null;
            /** @description null if the comment is deleted or hidden for you */
            author: components["schemas"]["Author"] | null;
            /**
             * @description null if the comment is deleted or hidden for you
             * @example The third table settles it.
             */
            content: string | null;
            stats: components["schemas"]["CommentStats"];
            /** @example false */
            isEdited: boolean;
            /**
             * @description a deleted comment stays in the list while it has replies; also true for one that a moderator removed
             * @example false
             */
            isDeleted: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-03-01T09:30:00.000Z
             */
            updatedAt: string;
            /**
             * @description true in lists if you block or mute the author, the author blocks you or is limited, or a filter of yours hides the text; otherwise absent
             * @example false
             */
            isHiddenForYou?: boolean;
            /** @description in lists: your filters that warn of the text; absent if there are none */
            filtered?: components["schemas"]["Filtered"][];
            /** @description only for its author and moderators, while it is removed, by a moderator or until a review; others get a deleted comment */
            removal?: components["schemas"]["Removal"];
            /** @description null if you may no longer read the post */
            post: components["schemas"]["TargetPost"] | null;
            /** @description positions of the found words, as for posts */
            highlights: components["schemas"]["CommentHighlights"];
        };
        Found: {
            posts: components["schemas"]["FoundPost"][];
            users: components["schemas"]["PublicUser"][];
            tags: components["schemas"]["FoundTag"][];
            /** @description of `kind=comments` only */
            comments: components["schemas"]["FoundComment"][];
        };
        TypeFacet: {
            /** @example article */
            type: components["schemas"]["PostType"];
            /**
             * Format: int32
             * @example 12
             */
            count: number;
        };
        Facets: {
            /** @description of the first 200 posts, most frequent first */
            types: components["schemas"]["TypeFacet"][];
        };
        SearchPage: {
            data: components["schemas"]["Found"];
            page: components["schemas"]["PageInfo"];
            facets: components["schemas"]["Facets"];
            /**
             * @description the corrected query, if nothing matched the original words
             * @example null
             */
            correctedTo: string | null;
            /**
             * @description `all`: posts contain all words; `any`: no post has all words, these have some of them
             * @example all
             * @enum {string}
             */
            matches: "all" | "any";
        };
        Suggested: {
            users: components["schemas"]["Author"][];
            tags: components["schemas"]["FoundTag"][];
            /**
             * @description the query with its last word completed
             * @example [
             *       "analytical engine"
             *     ]
             */
            words: string[];
        };
        Suggestions: {
            data: components["schemas"]["Suggested"];
        };
        RelatedPost: {
            /** @example 6650c3a2f1d2b3c4d5e6f708 */
            id: string;
            /**
             * @description path segment of the post: `<slug>-<id>`
             * @example notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708
             */
            slug: string;
            /** @example article */
            type: components["schemas"]["PostType"];
            /** @example Notes on the Analytical Engine */
            title: string;
            /** @example What it can do, and what it cannot */
            subtitle: string | null;
            /**
             * @example [
             *       "mathematics",
             *       "history"
             *     ]
             */
            tags: string[];
            /**
             * @description the beginning of the text, without markup
             * @example The Analytical Engine weaves algebraic patterns just as the Jacquard loom weaves flowers and leaves.
             */
            contentPreview: string;
            /**
             * Format: int32
             * @description reading time in minutes
             * @example 4
             */
            readTime: number;
            /**
             * @description false: unlisted or private
             * @example true
             */
            isPublic: boolean;
            /**
             * @description whether title, subtitle or content changed after publication
             * @example false
             */
            isEdited: boolean;
            /**
             * Format: uri-reference
             * @example https://images.example.org/engine.webp
             */
            thumbnailUrl: string | null;
            /** @description sizes of the thumbnail if it is an uploaded image of the author, else null */
            thumbnail: components["schemas"]["Picture"] | null;
            author: components["schemas"]["Author"];
            stats: components["schemas"]["PostStats"];
            /**
             * Format: date-time
             * @description when it was first published; for a draft: when it was created
             * @example 2026-05-01T09:30:00.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-05-01T09:30:00.000Z
             */
            updatedAt: string;
            /** @description in lists: your filters that warn of the text; absent if there are none */
            filtered?: components["schemas"]["Filtered"][];
            /**
             * @description `tag`: with a common tag; `author`: by the same author; `words`: with common words
             * @example tag
             * @enum {string}
             */
            reason: "tag" | "author" | "words";
        };
        RelatedPosts: {
            data: components["schemas"]["RelatedPost"][];
        };
        JsonFeed: {
            /**
             * @example https://jsonfeed.org/version/1.1
             * @enum {string}
             */
            version: "https://jsonfeed.org/version/1.1";
            /** @example OpenCanvas: newest posts */
            title: string;
            /**
             * Format: uri
             * @example https://example.org/
             */
            home_page_url: string;
            /**
             * Format: uri
             * @example https://api.example.org/v1/feeds/latest.json
             */
            feed_url: string;
            /** @example OpenCanvas: newest posts */
            description: string;
            /** @example [] */
            items: Record<string, never>[];
        };
        MetaTag: {
            /** @example og:title */
            name: string;
            /** @example Notes on the Analytical Engine */
            content: string;
        };
        PostMeta: {
            /** @example Notes on the Analytical Engine */
            title: string;
            /** @example The Analytical Engine weaves algebraic patterns. */
            description: string;
            /**
             * Format: uri
             * @description URL of the page of the post
             * @example https://example.org/p/notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708
             */
            url: string;
            /**
             * Format: uri
             * @description for `<link rel="canonical">`
             * @example https://example.org/p/notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708
             */
            canonicalUrl: string;
            /**
             * @description false: the page needs `noindex`; lists and the sitemap omit the post
             * @example true
             */
            isListed: boolean;
            /** @description Open Graph: for `<meta property="…">` */
            openGraph: components["schemas"]["MetaTag"][];
            /** @description for `<meta name="…">` */
            twitter: components["schemas"]["MetaTag"][];
            /** @description Google Scholar: for `<meta name="…">`. Of research papers and articles, else empty */
            citation: components["schemas"]["MetaTag"][];
            /**
             * @description schema.org, for a script element of the type `application/ld+json`: escape `<` in it
             * @example {
             *       "@context": "https://schema.org",
             *       "@type": "Article",
             *       "headline": "Notes on the Analytical Engine"
             *     }
             */
            jsonLd: {
                [key: string]: unknown;
            };
        };
        Oembed: {
            /**
             * @example rich
             * @enum {string}
             */
            type: "rich";
            /**
             * @example 1.0
             * @enum {string}
             */
            version: "1.0";
            /** @example Notes on the Analytical Engine */
            title: string;
            /** @example Ada Lovelace */
            author_name: string;
            /**
             * Format: uri
             * @example https://example.org/u/ada_lovelace
             */
            author_url: string;
            /** @example OpenCanvas */
            provider_name: string;
            /**
             * Format: uri
             * @example https://example.org
             */
            provider_url: string;
            /**
             * Format: int32
             * @example 600
             */
            width: number;
            /**
             * Format: int32
             * @example 200
             */
            height: number;
            /**
             * @description a quotation with a link; it runs and loads nothing
             * @example <blockquote><p><a href="https://api.example.org/p/notes-on-the-analytical-engine-6650c3a2f1d2b3c4d5e6f708">Notes on the Analytical Engine</a></p></blockquote>
             */
            html: string;
        };
        ProblemField: {
            /** @example title */
            field: string;
            /** @example must be longer than or equal to 1 characters */
            message: string;
        };
        ProblemBan: {
            /**
             * @description of the moderator
             * @example An advertisement.
             */
            reason: string;
            /**
             * Format: date-time
             * @description null: until a moderator lifts it
             * @example 2099-12-31T00:00:00.000Z
             */
            until: string | null;
            /**
             * @description `MODERATION_CONTACT` of the site
             * @example moderators@example.org
             */
            contact: string | null;
        };
        Problem: {
            /**
             * Format: uri
             * @example urn:opencanvas:problem:invalid_input
             */
            type: string;
            /** @example The request is invalid */
            title: string;
            /**
             * Format: int32
             * @example 400
             */
            status: number;
            /**
             * @description stable code of the error, for programs
             * @example invalid_input
             * @enum {string}
             */
            code: "malformed_request" | "malformed_body" | "invalid_input" | "invalid_id" | "invalid_cursor" | "cursor_expired" | "invalid_reset_token" | "invalid_email_token" | "invalid_passkey" | "invalid_expiry" | "invalid_webhook_url" | "invalid_webhook_events" | "invalid_schedule" | "invalid_range" | "invalid_alias" | "invalid_visibility" | "missing_refresh_token" | "follow_self" | "block_self" | "comment_too_deep" | "invalid_code" | "sign_in_not_begun" | "invalid_image" | "import_failed" | "invalid_archive" | "parent_mismatch" | "unauthorized" | "invalid_token" | "invalid_credentials" | "invalid_refresh_token" | "second_factor_required" | "recent_sign_in_required" | "invalid_mfa_token" | "invalid_stream_ticket" | "forbidden" | "foreign_origin" | "blocked" | "report_self" | "account_suspended" | "account_banned" | "email_not_verified" | "registration_closed" | "invalid_invite" | "invalid_setup_code" | "invalid_export_link" | "insufficient_scope" | "not_found" | "post_not_found" | "user_not_found" | "export_not_found" | "import_not_found" | "api_token_not_found" | "invite_not_found" | "webhook_not_found" | "webhook_delivery_not_found" | "filter_not_found" | "rule_not_found" | "sign_up_not_found" | "session_not_found" | "comment_not_found" | "revision_not_found" | "media_not_found" | "draft_not_found" | "collection_not_found" | "case_not_found" | "action_not_found" | "appeal_not_found" | "notification_not_found" | "push_not_configured" | "provider_not_found" | "identity_not_found" | "passkey_not_found" | "method_not_allowed" | "request_timeout" | "username_taken" | "username_limit" | "email_taken" | "email_changed_lately" | "identity_taken" | "setup_done" | "last_admin" | "last_sign_in_method" | "second_factor_on" | "second_factor_off" | "too_many_passkeys" | "too_many_featured" | "case_claimed" | "case_closed" | "post_hidden" | "post_locked" | "post_not_locked" | "standing_unchanged" | "not_appealable" | "already_appealed" | "appeal_decided" | "not_personalised" | "too_many_follows" | "too_many_tags" | "too_many_blocks" | "too_many_mutes" | "filter_exists" | "rule_exists" | "too_many_rules" | "too_many_webhooks" | "webhook_disabled" | "too_many_filters" | "too_many_hidden_posts" | "too_many_bells" | "too_many_collections" | "too_many_exports" | "import_running" | "too_many_imports" | "too_many_invites" | "too_many_api_tokens" | "collection_full" | "post_in_other_series" | "invalid_place" | "too_many_drafts" | "media_quota" | "media_in_use" | "draft_exists" | "collection_removed" | "post_removed" | "already_removed" | "not_removed" | "draft_incomplete" | "request_in_progress" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "range_not_satisfiable" | "idempotency_key_reused" | "content_rejected" | "mail_domain_refused" | "newcomer_content" | "precondition_required" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "headers_too_large" | "internal_error" | "overloaded" | "database_unavailable" | "database_upgraded" | "media_unavailable" | "search_not_ready" | "shutting_down";
            /** @example title must be longer than or equal to 1 characters */
            detail: string;
            /**
             * @description path of the request; `/` if it was refused before routing
             * @example /v1/posts
             */
            instance: string;
            /**
             * @description quote it when you report a problem
             * @example req-4f9a-1
             */
            requestId: string;
            errors?: components["schemas"]["ProblemField"][];
            /**
             * @description only with `second_factor_required`: for `POST /v1/auth/login/second-factor`, valid for five minutes
             * @example dQ2v7b1Yk0x3mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU
             */
            mfaToken?: string;
            /** @description only with `account_banned` */
            ban?: components["schemas"]["ProblemBan"];
        };
        /** @enum {string} */
        PostType: "research-paper" | "article" | "poem" | "story" | "book" | "written";
        /** @enum {string} */
        FollowingSource: "people" | "tags";
        /** @enum {string} */
        Role: "user" | "moderator" | "admin";
        /** @enum {string} */
        StandingLevel: "limited" | "suspended" | "banned";
        /** @enum {string} */
        StatBucket: "day" | "week" | "month";
        /** @enum {string} */
        Visibility: "public" | "unlisted" | "private";
        /** @enum {string} */
        WriterWindow: "week" | "month" | "year";
        /** @enum {string} */
        TagSort: "popular" | "trending" | "name";
        /** @enum {string} */
        CommentSort: "newest" | "oldest" | "top";
        /** @enum {string} */
        CaseState: "open" | "closed";
        /** @enum {string} */
        ReportTargetKind: "post" | "comment" | "user" | "collection" | "note" | "profile" | "media";
        /** @enum {string} */
        AppealState: "open" | "accepted" | "rejected";
        /** @enum {string} */
        NotificationKind: "comment" | "reply" | "watched" | "follow" | "like_post" | "like_comment" | "collected" | "new_post" | "draft_published" | "draft_failed" | "mention" | "moderation" | "case" | "thread";
        /** @enum {string} */
        WebhookDeliveryState: "waiting" | "delivered" | "failed";
        /** @enum {string} */
        FeedFormat: "atom" | "rss" | "json";
        /** @enum {string} */
        ForYouReason: "followed_author" | "liked_by_followed" | "followed_tag" | "related" | "popular";
        /** @enum {string} */
        FeedbackKind: "more" | "less";
        /** @enum {string} */
        Scope: "read" | "posts" | "comments" | "interactions" | "notifications" | "profile" | "webhooks" | "moderation" | "operations";
        /** @enum {string} */
        ArchiveImportState: "storing" | "waiting" | "reading" | "ready" | "publishing" | "published" | "failed" | "deleted";
        /** @enum {string} */
        ActorRole: "moderator" | "admin" | "operator" | "system";
        /** @enum {string} */
        ModerationActionKind: "delete" | "delete_thread" | "lock" | "unlock" | "set_role" | "read_email" | "create_invite" | "revoke_invite" | "approve_sign_up" | "reject_sign_up" | "dismiss_reports" | "remove" | "restore" | "warn" | "limit" | "suspend" | "ban" | "lift" | "accept_appeal" | "reject_appeal" | "create_rule" | "change_rule" | "delete_rule" | "change_settings" | "change_tag" | "publish_import";
        /** @enum {string} */
        ModerationTargetKind: "post" | "comment" | "collection" | "note" | "profile" | "media" | "user" | "invite" | "sign_up" | "action" | "rule" | "settings" | "tag";
        /** @enum {string|null} */
        ReportReasonOrNull: "spam" | "harassment" | "hate" | "violence" | "sexual" | "illegal" | "misinformation" | "other" | null;
        /** @enum {string} */
        RuleKind: "word" | "phrase" | "domain";
        /** @enum {string} */
        RuleAction: "hold" | "report" | "reject" | "limit";
        /** @enum {unknown} */
        RuleScope: "post" | "comment" | "profile" | "collection" | "email";
        /** @enum {string} */
        RuleHitTarget: "post" | "comment" | "collection" | "note" | "user";
        /** @enum {string} */
        RegistrationMode: "open" | "invite" | "approval" | "closed";
        /** @enum {string} */
        ContentFormat: "markdown" | "html";
        /** @enum {string|null} */
        PostTypeOrNull: "research-paper" | "article" | "poem" | "story" | "book" | "written" | null;
        /** @enum {unknown} */
        FilteredKind: "posts" | "comments";
        /** @enum {string} */
        FilterAction: "hide" | "warn";
        /** @enum {string} */
        CollectionKind: "list" | "series";
        /** @enum {string} */
        ReportReason: "spam" | "harassment" | "hate" | "violence" | "sexual" | "illegal" | "misinformation" | "other";
        /** @enum {string|null} */
        CaseOutcomeOrNull: "dismissed" | "deleted" | "acted" | null;
        /** @enum {string|null} */
        VisibilityOrNull: "public" | "unlisted" | "private" | null;
        /** @enum {string} */
        DraftState: "open" | "scheduled" | "failed" | "trashed";
        /** @enum {string} */
        VoteChoice: "like" | "dislike";
        /** @enum {string|null} */
        VoteChoiceOrNull: "like" | "dislike" | null;
        /** @enum {string} */
        NotificationDelivery: "app" | "mail" | "push" | "mail_and_push" | "off";
        /** @enum {string} */
        NotifiedThreads: "own" | "watched";
        /** @enum {string} */
        NotificationSource: "everyone" | "followed";
        /** @enum {string} */
        DigestFrequency: "off" | "daily" | "weekly";
        /** @enum {string} */
        WatchLevel: "watching" | "muted";
        /** @enum {unknown} */
        WebhookEvent: "post.published" | "post.updated" | "post.hidden" | "post.deleted" | "comment.created" | "comment.edited" | "comment.deleted" | "follow.created" | "collection.updated" | "user.updated" | "export.ready" | "import.done" | "user.created" | "user.ended" | "report.opened" | "action.taken" | "registration.pending" | "rule.hit";
        /** @enum {string|null} */
        WebhookDisabledReasonOrNull: "gone" | "failures" | null;
        /** @enum {string} */
        WebhookMessageType: "post.published" | "post.updated" | "post.hidden" | "post.deleted" | "comment.created" | "comment.edited" | "comment.deleted" | "follow.created" | "collection.updated" | "user.updated" | "export.ready" | "import.done" | "user.created" | "user.ended" | "report.opened" | "action.taken" | "registration.pending" | "rule.hit" | "ping";
        /** @enum {string|null} */
        WatchLevelOrNull: "watching" | "muted" | null;
    };
    responses: {
        /** @description A problem (RFC 9457). Its `code` is for programs: one of `x-error-codes` of the route. */
        Problem: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "urn:opencanvas:problem:invalid_input",
                 *       "title": "The request is invalid",
                 *       "status": 400,
                 *       "code": "invalid_input",
                 *       "detail": "title: must not be empty",
                 *       "instance": "/v1/posts",
                 *       "requestId": "req-4f9a-1",
                 *       "errors": [
                 *         {
                 *           "field": "title",
                 *           "message": "must not be empty"
                 *         }
                 *       ]
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description OK */
        PostPage: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PostPage"];
            };
        };
        /** @description OK */
        SignedIn: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["SignedIn"];
            };
        };
        /** @description No Content */
        NoContent: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description Accepted */
        Accepted: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description OK */
        RecoveryCodes: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RecoveryCodes"];
            };
        };
        /** @description Accepted */
        Import: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Import"];
            };
        };
        /** @description deleted */
        Deleted: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description OK */
        Instance: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Instance"];
            };
        };
        /** @description Created */
        Media: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Media"];
            };
        };
        /** @description OK */
        PostList: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PostList"];
            };
        };
        /** @description OK */
        Post: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Post"];
            };
        };
        /** @description OK */
        Lock: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Lock"];
            };
        };
        /** @description OK */
        FeaturedIds: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["FeaturedIds"];
            };
        };
        /** @description OK */
        Html: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Html"];
            };
        };
        /** @description OK */
        RevisionPage: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RevisionPage"];
            };
        };
        /** @description OK */
        Revision: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Revision"];
            };
        };
        /** @description OK */
        Block: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Block"];
            };
        };
        /** @description OK */
        Mute: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Mute"];
            };
        };
        /** @description OK */
        Follow: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Follow"];
            };
        };
        /** @description OK */
        FollowPage: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["FollowPage"];
            };
        };
        /** @description OK */
        TagFollow: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TagFollow"];
            };
        };
        /** @description OK */
        CommentWithPostPage: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CommentWithPostPage"];
            };
        };
        /** @description OK */
        CommentPage: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CommentPage"];
            };
        };
        /** @description OK */
        CollectionPage: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectionPage"];
            };
        };
        /** @description OK */
        Collection: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Collection"];
            };
        };
        /** @description Created */
        OwnAppeal: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OwnAppeal"];
            };
        };
        /** @description OK */
        DraftCard: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DraftCard"];
            };
        };
        /** @description OK */
        Vote: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Vote"];
            };
        };
        /** @description OK */
        VoterPage: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["VoterPage"];
            };
        };
        /** @description OK */
        Save: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Save"];
            };
        };
        /** @description OK */
        Hide: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Hide"];
            };
        };
        /** @description OK */
        CollectionFollow: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CollectionFollow"];
            };
        };
        /** @description OK */
        Unread: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Unread"];
            };
        };
        /** @description OK */
        NotificationSettings: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotificationSettings"];
            };
        };
        /** @description stored */
        Stored: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description removed */
        Removed: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description OK */
        Webhook: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Webhook"];
            };
        };
        /** @description Accepted */
        WebhookDelivery: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WebhookDelivery"];
            };
        };
        /** @description OK */
        JsonFeed: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "Last-Modified": components["headers"]["Last-Modified"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example <?xml version="1.0" encoding="utf-8"?>
                 *     <feed xmlns="http://www.w3.org/2005/Atom"><id>tag:example.org,2026:feeds/latest</id></feed>
                 */
                "application/atom+xml": string;
                /**
                 * @example <?xml version="1.0" encoding="utf-8"?>
                 *     <rss version="2.0"><channel><title>OpenCanvas</title></channel></rss>
                 */
                "application/rss+xml": string;
                /**
                 * @example {
                 *       "version": "https://jsonfeed.org/version/1.1",
                 *       "title": "OpenCanvas: newest posts",
                 *       "home_page_url": "https://example.org/",
                 *       "feed_url": "https://api.example.org/v1/feeds/latest.json",
                 *       "description": "OpenCanvas: newest posts",
                 *       "items": []
                 *     }
                 */
                "application/feed+json": components["schemas"]["JsonFeed"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description version of the response, for If-None-Match; for posts, comments, collections, drafts and my account also for If-Match, which saving a draft requires */
        ETag: string;
        /** @description time of the latest change of its items */
        "Last-Modified": string;
        /** @description URL of the created resource */
        Location: string;
        /** @description remaining requests, and seconds until the limit resets */
        RateLimit: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Liveness"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"internal_error">;
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: {
                /** @description respond 503 until the search index is complete; for startup probes (for example `true`) */
                search?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "internal_error" | "database_unavailable" | "database_upgraded" | "search_not_ready" | "shutting_down">;
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example opencanvas_requests_in_flight 3 */
                    "text/plain": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"forbidden" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getOperationsSummary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationsSummary"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listFeed: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description `hot`: score, decaying with age; `latest`: newest first; `top`: most engagement within `window`; `rising`: most engagement an hour, of the last seven days; `discussed`: comments, decaying with age. The last two are lists of the first 1,000 posts, up to a ranking interval old. */
                sort?: "hot" | "latest" | "top" | "rising" | "discussed";
                /** @description for `sort=top`: the maximum age of a post */
                window?: "day" | "week" | "month" | "year" | "all";
                /** @description posts with this tag (for example `mathematics`) */
                tag?: string;
                /** @description posts of this type */
                type?: components["schemas"]["PostType"];
                /** @description posts by this username (for example `demo_writer`) */
                author?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "cursor_expired" | "invalid_token" | "user_not_found" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listFollowingFeed: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description posts of followed accounts (`people`), posts with followed tags (`tags`), separated by commas */
                include?: components["schemas"]["FollowingSource"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listForYou: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForYouPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "cursor_expired" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    giveFeedback: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeedbackInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feedback"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "post_not_found" | "not_personalised" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description a moderator decides: there is no account until then; a mail has the decision */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "foreign_origin" | "registration_closed" | "invalid_invite" | "username_taken" | "email_taken" | "body_too_large" | "unsupported_media_type" | "content_rejected" | "mail_domain_refused" | "newcomer_content" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginInput"];
            };
        };
        responses: {
            200: components["responses"]["SignedIn"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_credentials" | "second_factor_required" | "foreign_origin" | "account_banned" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    refreshTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshInput"];
            };
        };
        responses: {
            200: components["responses"]["SignedIn"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "missing_refresh_token" | "invalid_refresh_token" | "foreign_origin" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefreshInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "missing_refresh_token" | "foreign_origin" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "insufficient_scope" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnPasswordInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "insufficient_scope" | "user_not_found" | "last_admin" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    updateProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProfileInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnUser"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "user_not_found" | "username_taken" | "username_limit" | "precondition_failed" | "body_too_large" | "unsupported_media_type" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    endSignIns: {
        parameters: {
            query?: {
                /** @description keep the session of this request (for example `true`) */
                keepCurrent?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the sign-in */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "session_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResetPasswordInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_reset_token" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    askPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AskPasswordResetInput"];
            };
        };
        responses: {
            202: components["responses"]["Accepted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    confirmEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_email_token" | "email_taken" | "email_changed_lately" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    askEmailVerification: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: components["responses"]["Accepted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    changeEmail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeEmailInput"];
            };
        };
        responses: {
            202: components["responses"]["Accepted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "insufficient_scope" | "email_changed_lately" | "body_too_large" | "unsupported_media_type" | "mail_domain_refused" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    undoEmailChange: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_email_token" | "email_taken" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listProviders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Providers"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    startProviderSignIn: {
        parameters: {
            query?: {
                /** @description the page of the client to return to; its origin must be one that the operator allows (for example `https://app.example/signed-in`) */
                returnTo?: string;
                /** @description instead of it, in an address from `POST /v1/auth/identities/{provider}` (for example `qbiR5Vtu8hxFjBVyCRlGFh5TzdJOH4TM4BZVgVDuqpU`) */
                link?: string;
                /** @description for a first sign-in, where the site needs an invite (for example `Zm9yIGEgZnJpZW5kIHdobyB3cml0ZXMgYWJvdXQgbG9`) */
                invite?: string;
            };
            header?: never;
            path: {
                /** @description name of the provider, as `GET /v1/auth/providers` lists it */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description redirects to the provider */
            302: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_code" | "provider_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    finishProviderSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the provider, as `GET /v1/auth/providers` lists it */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description redirects to the client, with a code or an error */
            303: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "sign_in_not_begun" | "provider_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    exchangeCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExchangeInput"];
            };
        };
        responses: {
            200: components["responses"]["SignedIn"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_code" | "invalid_credentials" | "second_factor_required" | "foreign_origin" | "account_banned" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listIdentities: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identities"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    finishLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the provider, as `GET /v1/auth/providers` lists it */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CodeInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Identity"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_code" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "provider_not_found" | "identity_taken" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    beginLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the provider, as `GET /v1/auth/providers` lists it */
                provider: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BeginLinkInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BegunLink"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "insufficient_scope" | "provider_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unlinkIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description name of the provider, as `GET /v1/auth/providers` lists it */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "identity_not_found" | "last_sign_in_method" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    signInWithSecondFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorInput"];
            };
        };
        responses: {
            200: components["responses"]["SignedIn"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_code" | "invalid_credentials" | "invalid_mfa_token" | "foreign_origin" | "account_banned" | "second_factor_off" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorState"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    enableTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EnableTotpInput"];
            };
        };
        responses: {
            200: components["responses"]["RecoveryCodes"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_code" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "second_factor_on" | "second_factor_off" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    startTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnPasswordInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Totp"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "insufficient_scope" | "user_not_found" | "second_factor_on" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    disableTotp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProvenInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_code" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "insufficient_scope" | "second_factor_off" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    renewRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProvenInput"];
            };
        };
        responses: {
            200: components["responses"]["RecoveryCodes"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_code" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "insufficient_scope" | "second_factor_off" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    createPasskeyLoginOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRequestOptions"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    signInWithPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyLoginInput"];
            };
        };
        responses: {
            200: components["responses"]["SignedIn"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_credentials" | "foreign_origin" | "account_banned" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    createPasskeyOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnPasswordInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyCreationOptions"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "insufficient_scope" | "user_not_found" | "too_many_passkeys" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listPasskeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkeys"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    addPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddPasskeyInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_passkey" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "too_many_passkeys" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    deletePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the passkey */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "passkey_not_found" | "last_sign_in_method" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the passkey */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenamePasskeyInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "passkey_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listApiTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiTokenList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createApiToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiTokenInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiToken"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_expiry" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "insufficient_scope" | "too_many_api_tokens" | "request_in_progress" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    revokeApiToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the token */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "api_token_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listExports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExportList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createExport: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "too_many_exports" | "request_in_progress" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    createExportByMail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenInput"];
            };
        };
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_email_token" | "user_not_found" | "too_many_exports" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getExport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the export */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Export"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "export_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getExportFile: {
        parameters: {
            query: {
                /** @description from the link */
                signature: string;
            };
            header?: never;
            path: {
                /** @description of the export */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": Blob;
                };
            };
            /** @description the requested range */
            206: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/zip": Blob;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_export_link" | "uri_too_long" | "range_not_satisfiable" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listImports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createImport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description a ZIP, or one file of an export
                     */
                    file: Blob;
                };
            };
        };
        responses: {
            202: components["responses"]["Import"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_archive" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "user_not_found" | "import_running" | "too_many_imports" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    importAddress: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportAddressInput"];
            };
        };
        responses: {
            202: components["responses"]["Import"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "import_failed" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "user_not_found" | "import_running" | "too_many_imports" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the import */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "import_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    deleteImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the import */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "import_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    publishImport: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the import */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Import"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "import_not_found" | "import_running" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listUsersById: {
        parameters: {
            query: {
                /** @description ids, separated by commas, or repeated */
                ids: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listModerationActions: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description actions of this account (for example `6650c3a2f1d2b3c4d5e6f701`) */
                actorId?: string;
                /** @description actions on this post, comment, collection or account (for example `6650c3a2f1d2b3c4d5e6f708`) */
                targetId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModerationActionPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listPublicActions: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DisclosedActionPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "not_found" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listRules: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentRulePage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createRule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateContentRuleInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentRule"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "rule_exists" | "too_many_rules" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    deleteRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the rule */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "rule_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    updateRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the rule */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateContentRuleInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentRule"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "rule_not_found" | "rule_exists" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listRuleHits: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the rule */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleHitList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rule_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listInvites: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitePage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createInvite: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInviteInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewInvite"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_expiry" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "too_many_invites" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    revokeInvite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the invite */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "invite_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listAccounts: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description the beginning of a current username, in any case (for example `demo_`) */
                q?: string;
                /** @description with this role (for example `moderator`) */
                role?: components["schemas"]["Role"];
                /** @description restricted accounts, also after the end of the restriction; not with `q` or `role` (for example `suspended`) */
                standing?: components["schemas"]["StandingLevel"];
                /** @description `username` with `q`, else `newest`; the others are not allowed with `q` (for example `username`) */
                sort?: "username" | "newest" | "oldest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagedAccountPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getAccount: {
        parameters: {
            query?: {
                /** @description for admins: with the e-mail address (for example `false`) */
                email?: boolean;
            };
            header?: never;
            path: {
                /** @description of the account */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ManagedAccount"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listRelatedAccounts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the account */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelatedAccounts"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    changeRole: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the account */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeRoleInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "invalid_credentials" | "recent_sign_in_required" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "user_not_found" | "last_admin" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listSignUps: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignUpPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    approveSignUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the registration */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "sign_up_not_found" | "username_taken" | "email_taken" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "content_rejected" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    rejectSignUp: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the registration */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "sign_up_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getSiteStats: {
        parameters: {
            query?: {
                /** @description first day (UTC), by default 30 buckets before the last; at most 400 buckets */
                from?: string;
                /** @description last day (UTC), by default today */
                to?: string;
                /** @description weeks begin on Monday */
                bucket?: components["schemas"]["StatBucket"];
                /** @description `csv`: the series as a file */
                format?: "json" | "csv";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SiteStatistics"];
                    /**
                     * @example at,newAccounts,activeAccounts,posts
                     *     2026-05-01,12,340,25
                     */
                    "text/csv": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_range" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getInstance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Instance"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    updateInstance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateInstanceInput"];
            };
        };
        responses: {
            200: components["responses"]["Instance"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    setUpInstance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupInput"];
            };
        };
        responses: {
            200: components["responses"]["SignedIn"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "foreign_origin" | "invalid_setup_code" | "username_taken" | "email_taken" | "setup_done" | "body_too_large" | "unsupported_media_type" | "content_rejected" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    uploadMedia: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description JPEG, PNG, WebP, AVIF or GIF, by its content
                     */
                    file: Blob;
                };
            };
        };
        responses: {
            201: components["responses"]["Media"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_image" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "user_not_found" | "media_quota" | "request_in_progress" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "content_rejected" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "media_unavailable" | "shutting_down">;
                };
            };
        };
    };
    importMedia: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportMediaInput"];
            };
        };
        responses: {
            201: components["responses"]["Media"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_image" | "import_failed" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "user_not_found" | "media_quota" | "body_too_large" | "unsupported_media_type" | "content_rejected" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "media_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listMyMedia: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MediaPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    deleteMedia: {
        parameters: {
            query?: {
                /** @description also while something refers to it (for example `true`) */
                force?: boolean;
            };
            header?: never;
            path: {
                /** @description of the image */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "media_not_found" | "media_in_use" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    updateMedia: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the image */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateMediaInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Media"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "media_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getMediaFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description from the URL */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": Blob;
                    "image/png": Blob;
                    "image/webp": Blob;
                };
            };
            /** @description the requested range */
            206: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": Blob;
                    "image/png": Blob;
                    "image/webp": Blob;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "media_not_found" | "uri_too_long" | "range_not_satisfiable" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "media_unavailable">;
                };
            };
        };
    };
    getModeratedMedia: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the image */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": Blob;
                    "image/png": Blob;
                    "image/webp": Blob;
                };
            };
            /** @description the requested range */
            206: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": Blob;
                    "image/png": Blob;
                    "image/webp": Blob;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "media_not_found" | "uri_too_long" | "range_not_satisfiable" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "media_unavailable">;
                };
            };
        };
    };
    listPostsById: {
        parameters: {
            query: {
                /** @description ids, separated by commas, or repeated */
                ids: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PostList"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_token" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePostInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_visibility" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "user_not_found" | "request_in_progress" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listMyPosts: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description posts of this type */
                type?: components["schemas"]["PostType"];
                /** @description posts of this visibility */
                visibility?: components["schemas"]["Visibility"];
                /** @description posts with this tag (for example `mathematics`) */
                tag?: string;
                /** @description by publication, or by the start of a draft */
                sort?: "newest" | "oldest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnPostPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Post"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    deletePost: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
            };
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "insufficient_scope" | "post_not_found" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    updatePost: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
            };
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePostInput"];
            };
        };
        responses: {
            200: components["responses"]["Post"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "invalid_visibility" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getPostContent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example # Notes */
                    "text/markdown": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    lockPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Lock"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unlockPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Lock"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listPostsByAuthor: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "invalid_token" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listFeaturedPosts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PostList"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    addFeaturedPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                postId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["FeaturedIds"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "too_many_featured" | "post_hidden" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    removeFeaturedPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                postId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["FeaturedIds"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getPostHtml: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Html"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    renderMarkdown: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenderInput"];
            };
        };
        responses: {
            200: components["responses"]["Html"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    recordPostEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordPostEventInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostEventResult"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "invalid_token" | "post_not_found" | "request_in_progress" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getPostStats: {
        parameters: {
            query?: {
                /** @description first day (UTC), by default 30 buckets before the last; at most 400 buckets */
                from?: string;
                /** @description last day (UTC), by default today */
                to?: string;
                /** @description weeks begin on Monday */
                bucket?: components["schemas"]["StatBucket"];
            };
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostStatistics"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_range" | "unauthorized" | "invalid_token" | "forbidden" | "insufficient_scope" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getOwnStats: {
        parameters: {
            query?: {
                /** @description first day (UTC), by default 30 buckets before the last; at most 400 buckets */
                from?: string;
                /** @description last day (UTC), by default today */
                to?: string;
                /** @description weeks begin on Monday */
                bucket?: components["schemas"]["StatBucket"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorStatistics"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_range" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listTopWriters: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `5`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description the last 7, 30 or 365 days, by views + 4 × likes + 6 × comments + 8 × new followers; without it, by likes per post of all time */
                window?: components["schemas"]["WriterWindow"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TopWritersPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listPostRevisions: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RevisionPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_cursor" | "invalid_token" | "forbidden" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getPostRevision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
                /** @description from the list of versions */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Revision"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "forbidden" | "post_not_found" | "revision_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    deletePostRevision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
                /** @description from the list of versions */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "insufficient_scope" | "post_not_found" | "revision_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    diffPostRevision: {
        parameters: {
            query?: {
                /** @description the version to compare with; the current one if absent (for example `4`) */
                against?: number;
            };
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
                /** @description from the list of versions */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Diff"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "forbidden" | "post_not_found" | "revision_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    revertPost: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
                /** @description from the list of versions */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Post"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "revision_not_found" | "request_in_progress" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    blockUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Block"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "block_self" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "too_many_blocks" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unblockUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Block"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "block_self" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    muteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MuteInput"];
            };
        };
        responses: {
            200: components["responses"]["Mute"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_expiry" | "block_self" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "too_many_mutes" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unmuteUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Mute"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "block_self" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listBlocks: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listMutes: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MutePage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listFilters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentFilterList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createFilter: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateContentFilterInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentFilter"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_expiry" | "unauthorized" | "invalid_token" | "insufficient_scope" | "filter_exists" | "too_many_filters" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    deleteFilter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the filter */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "filter_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    updateFilter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the filter */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateContentFilterInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentFilter"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "invalid_expiry" | "unauthorized" | "invalid_token" | "insufficient_scope" | "filter_not_found" | "filter_exists" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    followUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Follow"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "follow_self" | "unauthorized" | "invalid_token" | "blocked" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "user_not_found" | "too_many_follows" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unfollowUser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Follow"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "follow_self" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    removeFollower: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Follower"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "follow_self" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listRelationships: {
        parameters: {
            query: {
                /** @description ids, separated by commas, or repeated */
                ids: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Relationships"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listSuggestedUsers: {
        parameters: {
            query?: {
                /** @description number of accounts (for example `5`) */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SuggestedUsers"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listFollowers: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description only followers whom you follow; needs a sign-in */
                known?: boolean;
            };
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["FollowPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listFollowing: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["FollowPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listTags: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description `popular`: most posts first; `trending`: highest `trend` first, only tags that rise; `name`: in the order of Unicode */
                sort?: components["schemas"]["TagSort"];
                /** @description tags that begin with this text (for example `math`) */
                prefix?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tag: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagDetails"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    updateTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tag: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateTagInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagDetails"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_alias" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    followTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tag: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TagFollow"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "too_many_tags" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unfollowTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tag: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TagFollow"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listFollowedTags: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TagList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listCommentsByAuthor: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CommentWithPostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "invalid_token" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listMyComments: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CommentWithPostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listLatestComments: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CommentWithPostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "invalid_token" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listModeratedComments: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description comments of this account (for example `6650c3a2f1d2b3c4d5e6f701`) */
                authorId?: string;
                /** @description `deleted`: those that stay in the tree because they have replies (for example `visible`) */
                state?: "visible" | "removed" | "deleted" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CommentWithPostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listComments: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description `top`: most likes first (for example `oldest`) */
                sort?: components["schemas"]["CommentSort"];
            };
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CommentPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_cursor" | "invalid_token" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createComment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCommentInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "comment_too_deep" | "parent_mismatch" | "unauthorized" | "invalid_token" | "blocked" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "comment_not_found" | "post_locked" | "request_in_progress" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the comment */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "comment_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    deleteComment: {
        parameters: {
            query?: {
                /** @description for the author of the post: everything below it, too (for example `false`) */
                tree?: boolean;
            };
            header?: never;
            path: {
                /** @description id of the comment */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "insufficient_scope" | "comment_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    editComment: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
            };
            path: {
                /** @description id of the comment */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditCommentInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comment"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "blocked" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "comment_not_found" | "post_locked" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listCommentsById: {
        parameters: {
            query: {
                /** @description ids, separated by commas, or repeated */
                ids: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_token" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listCommentHtml: {
        parameters: {
            query: {
                /** @description ids, separated by commas, or repeated */
                ids: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommentHtmlList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_token" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listReplies: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description `top`: most likes first (for example `oldest`) */
                sort?: components["schemas"]["CommentSort"];
            };
            header?: never;
            path: {
                /** @description id of the comment */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CommentPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_cursor" | "invalid_token" | "comment_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listCollections: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description `latest`: newest first; `top`: most likes and followers, minus dislikes */
                sort?: "latest" | "top";
                /** @description collections with this tag (for example `mathematics`) */
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CollectionPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "invalid_token" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCollectionInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "user_not_found" | "too_many_collections" | "request_in_progress" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Collection"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "collection_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    deleteCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
            };
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "insufficient_scope" | "collection_not_found" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    updateCollection: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
            };
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateCollectionInput"];
            };
        };
        responses: {
            200: components["responses"]["Collection"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "collection_not_found" | "collection_removed" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listCollectionPosts: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionPostPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_cursor" | "cursor_expired" | "invalid_token" | "collection_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    putCollectionPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                postId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutCollectionPostInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlacedPost"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "collection_not_found" | "collection_full" | "post_in_other_series" | "invalid_place" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    removeCollectionPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                postId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedPost"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "insufficient_scope" | "collection_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getPostSeries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostSeries"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "post_not_found" | "collection_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listMyCollections: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description id of a post; `isMember` of each collection says whether it contains the post (for example `6650c3a2f1d2b3c4d5e6f708`) */
                contains?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnCollectionPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listCollectionsByUser: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CollectionPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "invalid_token" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createReport: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateReportInput"];
            };
        };
        responses: {
            /** @description you have reported it before */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Report"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "report_self" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "user_not_found" | "comment_not_found" | "media_not_found" | "collection_not_found" | "body_too_large" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listCases: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description `open`: claimed or not (for example `closed`) */
                state?: components["schemas"]["CaseState"];
                /** @description about targets of this kind (for example `post`) */
                kind?: components["schemas"]["ReportTargetKind"];
                /** @description `weight`: highest sum of weights first; `oldest`: earliest first report first (for example `oldest`) */
                sort?: "weight" | "oldest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportCasePage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the case: kind and id of the target */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReportCaseDetails"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "case_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    claimCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the case: kind and id of the target */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseClaim"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "case_not_found" | "case_claimed" | "case_closed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    releaseCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the case: kind and id of the target */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "case_not_found" | "case_claimed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    dismissCase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the case: kind and id of the target */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DismissCaseInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "case_not_found" | "case_claimed" | "case_closed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    createModerationAction: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateModerationActionInput"];
            };
        };
        responses: {
            /** @description the actions on `targetIds` */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionOutcomes"];
                };
            };
            /** @description the action on `targetId` */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModerationAction"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_expiry" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "user_not_found" | "comment_not_found" | "media_not_found" | "collection_not_found" | "case_not_found" | "case_claimed" | "case_closed" | "post_locked" | "post_not_locked" | "standing_unchanged" | "already_removed" | "not_removed" | "request_in_progress" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listAppeals: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                state?: components["schemas"]["AppealState"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppealPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    decideAppeal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the appealed action */
                actionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecideAppealInput"];
            };
        };
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "appeal_not_found" | "appeal_decided" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getModerationSummary: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModerationSummary"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listMyModeration: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnActionPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createAppealByMail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppealByMailInput"];
            };
        };
        responses: {
            201: components["responses"]["OwnAppeal"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_email_token" | "action_not_found" | "not_appealable" | "already_appealed" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    createAppeal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAppealInput"];
            };
        };
        responses: {
            201: components["responses"]["OwnAppeal"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "action_not_found" | "not_appealable" | "already_appealed" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listDrafts: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description only posts that you deleted, last deleted first */
                state?: "trashed";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateDraftInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Draft"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "too_many_drafts" | "draft_exists" | "request_in_progress" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Draft"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "draft_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    deleteDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
            };
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "draft_not_found" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    saveDraft: {
        parameters: {
            query?: never;
            header: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match": string;
            };
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveDraftInput"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftCard"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "draft_not_found" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "precondition_required" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    previewDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Html"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "draft_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listDraftVersions: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RevisionPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "draft_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getDraftVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the draft */
                id: string;
                /** @description from the list of versions */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Revision"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "revision_not_found" | "draft_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    publishDraft: {
        parameters: {
            query?: {
                /** @description The post gets the time `importedAt` of an imported draft: it is listed at that time, and no account is notified. (for example `false`) */
                keepDate?: boolean;
            };
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the post that was edited */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description a new post */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "draft_not_found" | "draft_incomplete" | "request_in_progress" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    restoreDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description of a draft of state `trashed` */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description the restored post */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Post"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "draft_not_found" | "request_in_progress" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "idempotency_key_reused" | "content_rejected" | "newcomer_content" | "newcomer_limit" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    scheduleDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleDraftInput"];
            };
        };
        responses: {
            200: components["responses"]["DraftCard"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "invalid_schedule" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "draft_not_found" | "draft_incomplete" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unscheduleDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DraftCard"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "draft_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    shareDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftLink"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "draft_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unshareDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the draft */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "draft_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getSharedDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description from the link */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SharedDraft"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "draft_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    votePost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VoteInput"];
            };
        };
        responses: {
            200: components["responses"]["Vote"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "blocked" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unvotePost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Vote"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    voteComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the comment */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VoteInput"];
            };
        };
        responses: {
            200: components["responses"]["Vote"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "blocked" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "comment_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unvoteComment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description id of the comment */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Vote"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listPostVotes: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description for example `like` */
                value?: "like";
            };
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["VoterPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_cursor" | "invalid_token" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listFollowedPostVotes: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["VoterPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listCommentVotes: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description for example `like` */
                value?: "like";
            };
            header?: never;
            path: {
                /** @description id of the comment */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["VoterPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_cursor" | "invalid_token" | "comment_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    savePost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Save"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "post_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unsavePost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Save"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    hidePost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Hide"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "post_not_found" | "too_many_hidden_posts" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unhidePost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Hide"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listSaved: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listHidden: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listLiked: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PostPage"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listFollowedCollections: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FollowedCollectionPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    voteCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VoteInput"];
            };
        };
        responses: {
            200: components["responses"]["Vote"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "blocked" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "collection_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unvoteCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Vote"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    followCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CollectionFollow"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "blocked" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "collection_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "newcomer_limit" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unfollowCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["CollectionFollow"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description of one kind */
                kind?: components["schemas"]["NotificationKind"];
                /** @description only unread ones (for example `true`) */
                unread?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getUnreadCount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Unread"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    markNotificationsRead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MarkReadInput"];
            };
        };
        responses: {
            200: components["responses"]["Unread"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "notification_not_found" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getNotificationSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["NotificationSettings"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    updateNotificationSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateNotificationSettingsInput"];
            };
        };
        responses: {
            200: components["responses"]["NotificationSettings"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    markNotificationRead: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the notification */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description read */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "notification_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    markNotificationUnread: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the notification */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description unread */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "notification_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    deleteNotification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the notification */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "notification_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    streamNotifications: {
        parameters: {
            query?: never;
            header?: {
                /** @description the id of the last event of an earlier stream: this one continues after it (for example `6650c3a2f1d2b3c4d5e6f708`) */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description server-sent events */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event": "unread",
                     *       "id": "6650c3a2f1d2b3c4d5e6f708",
                     *       "data": "{\"count\":1,\"isCapped\":false}"
                     *     }
                     */
                    "text/event-stream": components["schemas"]["NotificationEvent"] | components["schemas"]["UnreadEvent"] | components["schemas"]["ResetEvent"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createStreamTicket: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamTicket"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    openEventSource: {
        parameters: {
            query: {
                /** @description of `POST /v1/notifications/stream-ticket` */
                ticket: string;
                /** @description the `lastEventId` of an earlier stream (for example `6650c3a2f1d2b3c4d5e6f708`) */
                lastEventId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description server-sent events */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event": "unread",
                     *       "id": "6650c3a2f1d2b3c4d5e6f708",
                     *       "data": "{\"count\":1,\"isCapped\":false}"
                     *     }
                     */
                    "text/event-stream": components["schemas"]["NotificationEvent"] | components["schemas"]["UnreadEvent"] | components["schemas"]["ResetEvent"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_stream_ticket" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getPushKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushKey"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "push_not_configured" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listPushSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscriptionList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createPushSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePushSubscriptionInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushSubscription"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "push_not_configured" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    deletePushSubscription: {
        parameters: {
            query: {
                /** @description id of the subscription */
                id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    watchPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WatchPostInput"];
            };
        };
        responses: {
            204: components["responses"]["Stored"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "post_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    unwatchPost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listWatches: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WatchedPostPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    listBells: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BellPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    addBell: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Stored"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "follow_self" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "too_many_bells" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    removeBell: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Removed"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getUnsubscribePage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of a mail */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example <!doctype html>
                     *     <html lang="en">
                     *     <p>Stop mails of the kind "Your digest"?</p>
                     *     </html>
                     */
                    "text/html": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of a mail */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example <!doctype html>
                     *     <html lang="en">
                     *     <p>Stop mails of the kind "Your digest"?</p>
                     *     </html>
                     */
                    "text/html": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Makes retries safe: for 24 hours the same key with the same body returns the first response, byte for byte, with `Idempotent-Replayed: true`. The key belongs to the account (a visitor: address and agent) and the path. (for example `5f1c2a7e-8a55-4f0c-9d0e-3b1f6c2d4e90`) */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookInput"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_webhook_url" | "invalid_webhook_events" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "too_many_webhooks" | "request_in_progress" | "body_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Webhook"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "insufficient_scope" | "webhook_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["Deleted"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "insufficient_scope" | "webhook_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description the ETag of the version that you read, or `*`; any other value gets 412 */
                "If-Match"?: string;
            };
            path: {
                /** @description of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookInput"];
            };
        };
        responses: {
            200: components["responses"]["Webhook"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "invalid_webhook_url" | "invalid_webhook_events" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "webhook_not_found" | "precondition_failed" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "byte_budget_spent" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "webhook_not_found" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    pingWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: components["responses"]["WebhookDelivery"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "webhook_not_found" | "webhook_disabled" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description only deliveries of this state */
                state?: components["schemas"]["WebhookDeliveryState"];
            };
            header?: never;
            path: {
                /** @description of the webhook */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_cursor" | "unauthorized" | "invalid_token" | "forbidden" | "insufficient_scope" | "webhook_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description of the webhook */
                id: string;
                /** @description of the delivery: the header `webhook-id` */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: components["responses"]["WebhookDelivery"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"malformed_body" | "invalid_input" | "invalid_id" | "unauthorized" | "invalid_token" | "forbidden" | "account_suspended" | "email_not_verified" | "insufficient_scope" | "webhook_not_found" | "webhook_delivery_not_found" | "webhook_disabled" | "body_too_large" | "uri_too_long" | "unsupported_media_type" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "shutting_down">;
                };
            };
        };
    };
    getViewer: {
        parameters: {
            query?: {
                /** @description ids of posts */
                posts?: string[];
                /** @description ids of comments */
                comments?: string[];
                /** @description ids of collections */
                collections?: string[];
                /** @description ids of accounts */
                users?: string[];
                /** @description tags */
                tags?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Viewer"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "unauthorized" | "invalid_token" | "insufficient_scope" | "user_not_found" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    searchAll: {
        parameters: {
            query: {
                /** @description number of items on a page (for example `10`) */
                limit?: number;
                /** @description `page.nextCursor` of the previous page, requested with the same filters */
                cursor?: string;
                /** @description words, of which the last may be unfinished; `"several words"` in this order; at most the first twelve count */
                q: string;
                /** @description `all`: the best five posts, users and tags, without further pages; `comments`: newest first, on servers with `SEARCH_COMMENTS=on` */
                kind?: "all" | "posts" | "users" | "tags" | "comments";
                /** @description posts of this type */
                type?: components["schemas"]["PostType"];
                /** @description posts with this tag (for example `mathematics`) */
                tag?: string;
                /** @description posts by this username (for example `demo_writer`) */
                author?: string;
                /** @description of posts; `relevance`: the best 200, by words, engagement and age; `latest`: all of them, newest first */
                sort?: "relevance" | "latest";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchPage"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_cursor" | "invalid_token" | "not_found" | "user_not_found" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "search_not_ready">;
                };
            };
        };
    };
    suggestWords: {
        parameters: {
            query: {
                /** @description the text that the user has typed */
                q: string;
                /** @description of each kind (for example `5`) */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Suggestions"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "not_found" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable" | "search_not_ready">;
                };
            };
        };
    };
    listRelatedPosts: {
        parameters: {
            query?: {
                /** @description for example `5` */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RelatedPosts"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                feed: "latest.atom" | "latest.rss" | "latest.json" | "hot.atom" | "hot.rss" | "hot.json" | "top.atom" | "top.rss" | "top.json";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["JsonFeed"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getAuthorFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description current or previous username, in any case */
                username: string;
                format: components["schemas"]["FeedFormat"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["JsonFeed"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "not_found" | "user_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getTagFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tag: string;
                format: components["schemas"]["FeedFormat"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["JsonFeed"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getCollectionFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
                format: components["schemas"]["FeedFormat"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["JsonFeed"];
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "not_found" | "collection_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getPostMeta: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostMeta"];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getPostCitation: {
        parameters: {
            query?: {
                /** @description `csl`: CSL-JSON */
                format?: "bibtex" | "ris" | "csl";
            };
            header?: never;
            path: {
                /** @description `<id>` or `<slug>-<id>`; the id alone decides */
                idOrSlug: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example @misc{ada_lovelace_2026_e6f708,
                     *       title = {{Notes}}
                     *     }
                     */
                    "application/x-bibtex": string;
                    /**
                     * @example TY  - BLOG
                     *     TI  - Notes
                     *     ER  -
                     */
                    "application/x-research-info-systems": string;
                    /**
                     * @example [
                     *       {
                     *         "id": "ada_lovelace_2026_e6f708",
                     *         "type": "post-weblog",
                     *         "title": "Notes"
                     *       }
                     *     ]
                     */
                    "application/vnd.citationstyles.csl+json": {
                        [key: string]: unknown;
                    }[];
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "invalid_id" | "invalid_token" | "post_not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getOembed: {
        parameters: {
            query: {
                /** @description URL of a post, on the site or on this server */
                url: string;
                format?: "json" | "xml";
                /** @description pixels (for example `500`) */
                maxwidth?: string;
                /** @description pixels (for example `300`) */
                maxheight?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Oembed"];
                    /**
                     * @example <?xml version="1.0" encoding="utf-8"?>
                     *     <oembed><type>rich</type><version>1.0</version></oembed>
                     */
                    "text/xml": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "post_not_found" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getRobots: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example User-agent: *
                     *     Disallow:
                     *
                     *     Sitemap: https://api.example.org/sitemap.xml
                     */
                    "text/plain": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getSitemapIndex: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></sitemapindex> */
                    "application/xml": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getTagSitemap: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset> */
                    "application/xml": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"not_found" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
    getSitemapFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `posts-<yyyy-mm>-<n>.xml`, `people-…` or `collections-…`, as the index names them */
                file: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset> */
                    "application/xml": string;
                };
            };
            /** @description A problem */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": Problem<"invalid_input" | "not_found" | "uri_too_long" | "rate_limited" | "internal_error" | "overloaded" | "database_unavailable">;
                };
            };
        };
    };
}
