import type { TestApp } from './app.js';
import type { Answer, RequestOptions } from './client.js';
import { openCanvasToken } from './opencanvas.js';
import type { PersonWithPassword } from './world.js';

/** Site of the client, and path of its API. */
export const SITE = 'http://localhost:5173';
export const OPENCANVAS_ENV = { PUBLIC_SITE_URL: SITE, OPENCANVAS_API: '/oc' };

export const REFUSED = { status: 401, body: { success: false, message: 'Invalid or expired token' } };

/** An account with a session of the OpenCanvas API. */
export type Member = PersonWithPassword & { oc: string; signInId: string };

/** Sends requests like the client of OpenCanvas. */
export class MemberClient {
  constructor(private readonly app: TestApp) {}

  send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.app.patient.request(method, `/oc${path}`, options);
  }

  get(path: string, token?: string): Promise<Answer> {
    return this.send('GET', path, { token });
  }

  /** Creates an account with a token that was used once. */
  async member(): Promise<Member> {
    const person = await this.app.world.person({ overHttp: true });
    const { token: oc, signInId } = await openCanvasToken(this.app, person);
    return { ...person, signInId, oc };
  }
}

export const answerOf = ({ status, body }: Answer) => ({ status, body: body as unknown });
