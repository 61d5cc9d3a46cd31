/** The form above Swagger UI, which signs in and hands the access token to its requests. */
export const SIGN_IN_CSS = `
#sign-in { max-width: 1460px; margin: 0 auto; padding: 12px 20px; font: 14px sans-serif; display: flex; gap: 8px; align-items: center; flex-wrap: wrap }
#sign-in input { padding: 6px 8px; border: 1px solid #aaa; border-radius: 4px }
#sign-in button { padding: 6px 16px; border: 2px solid #49cc90; border-radius: 4px; background: #fff; font-weight: 700; cursor: pointer }
.swagger-ui .topbar { display: none }
`;

/** @param account that the form begins with */
export function signInScript(account: { login: string; password: string } | null): string {
  return `(${script.toString()})(${JSON.stringify(account)});\n`;
}

type Tokens = { accessToken: string; refreshToken: string; expiresIn: number; user: { username: string } };

/** Runs in the browser, alone: it may use nothing of this module. */
function script(account: { login: string; password: string } | null): void {
  const page = globalThis as unknown as { document: any; ui: any; addEventListener: any };
  const ask = async (path: string, body: object): Promise<Tokens> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as Tokens & { detail?: string };
    if (!response.ok) throw new Error(answer.detail);
    return answer;
  };
  const keep = ({ accessToken, refreshToken, expiresIn }: Tokens): void => {
    const schema = { type: 'http', scheme: 'bearer' };
    page.ui.authActions.authorizeWithPersistOption({ bearer: { name: 'bearer', schema, value: accessToken } });
    const renew = (): void => void ask('/v1/auth/refresh', { refreshToken }).then(keep, () => undefined);
    setTimeout(renew, expiresIn * 800);
  };
  page.addEventListener('load', () => {
    const form = page.document.createElement('form');
    form.id = 'sign-in';
    form.innerHTML =
      '<label for="sign-in-login">Sign in as</label> <input id="sign-in-login" name="login" autocomplete="username" placeholder="username or e-mail" required>' +
      '<input name="password" type="password" aria-label="password" autocomplete="current-password" placeholder="password" required>' +
      '<button>Sign in</button><output></output>';
    if (account !== null) {
      form.login.value = account.login;
      form.password.value = account.password;
    }
    const say = (text: string): void => void (form.querySelector('output').textContent = text);
    form.addEventListener('submit', (event: { preventDefault: () => void }) => {
      event.preventDefault();
      ask('/v1/auth/login', { login: form.login.value, password: form.password.value }).then(
        (tokens) => {
          keep(tokens);
          say(`Signed in as ${tokens.user.username}. Every request below carries the token.`);
        },
        (error: Error) => say(error.message),
      );
    });
    page.document.getElementById('swagger-ui').before(form);
  });
}
