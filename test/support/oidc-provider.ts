import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

type Profile = { email?: string; email_verified?: boolean | string; name?: string };
/** @param idToken overrides the claims of the ID token */
export type Claims = Profile & { idToken?: Profile };

export const CLIENT = { clientId: 'opencanvas', clientSecret: 'a secret of the tests' };

/** A real OpenID provider on this machine. People sign in by typing their name. */
export class TestProvider {
  /** Claims by the typed login, which is also the subject. */
  readonly people = new Map<string, Claims>();
  private readonly server: Server = createServer();

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this.issuer;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Starts to serve the client with these callback URLs. */
  serve(...callbacks: string[]): void {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: callbacks,
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] as never },
      cookies: { keys: [randomBytes(16).toString('hex')] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      pkce: { required: () => false },
      // Like many providers, this one puts the claims into the ID token as well as into userinfo.
      conformIdTokenClaims: false,
      findAccount: (_, sub) => ({
        accountId: sub,
        claims: (use) => {
          const { idToken, ...claims } = this.people.get(sub) ?? {};
          return { sub, ...claims, ...(use === 'id_token' ? idToken : {}) };
        },
      }),
      ttl: { AccessToken: 60, AuthorizationCode: 60, IdToken: 60, Interaction: 600, Session: 600, Grant: 600 },
    });
    const listener = provider.callback();
    this.server.on('request', (request, response) => void listener(request, response));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Implements the parts of a browser that a sign-in needs: cookies of each origin, redirects, and the forms of the provider. */
export class FormBrowser {
  readonly cookies = new Map<string, Map<string, string>>();

  /** @param headers of all requests */
  constructor(private readonly headers: Record<string, string> = {}) {}

  /** Follows redirects and submits forms until a redirect leads to an address with this prefix. Does not open that address. */
  async until(begin: string, address: string, login: string): Promise<string> {
    let request: { url: string; form?: Record<string, string> } = { url: address };
    for (let step = 0; step < 20; step += 1) {
      const { location, html } = await this.send(request.url, request.form);
      if (location !== null) {
        const url = new URL(location, request.url).href;
        if (url.startsWith(begin)) return url;
        request = { url };
      } else {
        const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
        if (action === undefined) throw new Error(`no form at ${request.url}: ${html.slice(0, 300)}`);
        const prompt = /name="prompt" value="(\w+)"/.exec(html)![1]!;
        const form: Record<string, string> = prompt === 'login' ? { prompt, login, password: 'any' } : { prompt };
        request = { url: new URL(action, request.url).href, form };
      }
    }
    throw new Error('the sign-in does not end');
  }

  async send(
    url: string,
    form?: Record<string, string>,
  ): Promise<{ location: string | null; html: string; status: number }> {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { ...this.headers, cookie: this.cookieOf(url) },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    const jar = this.jarOf(url);
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = line.split(';')[0]!.split(/=(.*)/s) as [string, string];
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return { location: answer.headers.get('location'), html: await answer.text(), status: answer.status };
  }

  jarOf(url: string): Map<string, string> {
    const { origin } = new URL(url);
    if (!this.cookies.has(origin)) this.cookies.set(origin, new Map());
    return this.cookies.get(origin)!;
  }

  private cookieOf(url: string): string {
    return [...this.jarOf(url)].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}
