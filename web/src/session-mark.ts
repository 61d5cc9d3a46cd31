/** Item of localStorage with the id of the signed-in account. It is no secret. */
export const SESSION_KEY = 'signed-in';

/** Whether this browser has signed in. Pages send no request about a session otherwise. */
export function hasSessionMark(): boolean {
  return localStorage.getItem(SESSION_KEY) !== null;
}
