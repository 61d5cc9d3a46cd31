import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';

/** Serves a page of a local site, where browsers allow passkeys without TLS. */
export async function serveSite(): Promise<{ origin: string; close: () => Promise<void> }> {
  const server: Server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>A client</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export type Sent = { body: Record<string, unknown>; status: number; answer: any };

/** A browser profile with an authenticator that confirms the presence of its user. */
export class Device {
  private constructor(
    private readonly context: BrowserContext,
    private readonly page: Page,
    private readonly session: CDPSession,
    private readonly authenticatorId: string,
    private readonly api: string,
  ) {}

  static async open(browser: Browser, api: string, origin: string): Promise<Device> {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(90_000);
    await page.goto(origin);
    const session = await context.newCDPSession(page);
    await session.send('WebAuthn.enable');
    const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return new Device(context, page, session, authenticatorId, api);
  }

  close(): Promise<void> {
    return this.context.close();
  }

  /** Sets the signature counter, as for a copied authenticator. */
  async setSignCount(signCount: number): Promise<void> {
    const { authenticatorId } = this;
    const { credentials } = await this.session.send('WebAuthn.getCredentials', { authenticatorId });
    await this.session.send('WebAuthn.clearCredentials', { authenticatorId });
    for (const credential of credentials)
      await this.session.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount } });
  }

  /** Opens another site on the same device. */
  async visit(origin: string): Promise<void> {
    await this.page.goto(origin);
  }

  /** Adds a passkey like a site's client: options from the API, the browser's dialog, its response. @param adder token of the response */
  addPasskey(token: string, password: string | undefined, name: string, adder = token): Promise<Sent> {
    return this.page.evaluate(
      async ([api, token, password, name, adder]) => {
        const post = async (path: string, body: object, as = token) => {
          const headers = { 'content-type': 'application/json', authorization: `Bearer ${as}` };
          const answer = await fetch(api + path, { method: 'POST', headers, body: JSON.stringify(body) });
          return { status: answer.status, answer: await answer.json() };
        };
        const options = await post('/v1/auth/passkeys/options', { password });
        if (options.status !== 200) return { body: {}, ...options };
        const { PublicKeyCredential, navigator } = globalThis as any;
        const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options.answer);
        const credential = (await navigator.credentials.create({ publicKey })).toJSON();
        const body = { ...credential, name };
        return { body, ...(await post('/v1/auth/passkeys', body, adder)) };
      },
      [this.api, token, password, name, adder] as const,
    );
  }

  signIn(): Promise<Sent> {
    return this.page.evaluate(async (api) => {
      const post = async (path: string, body?: object) => {
        const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
        const answer = await fetch(api + path, { method: 'POST', headers, body: body && JSON.stringify(body) });
        return { status: answer.status, answer: await answer.json() };
      };
      const options = await post('/v1/auth/passkeys/login/options');
      const { PublicKeyCredential, navigator } = globalThis as any;
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options.answer);
      const body = (await navigator.credentials.get({ publicKey })).toJSON();
      return { body, ...(await post('/v1/auth/passkeys/login', body)) };
    }, this.api);
  }
}
