import { CodedError } from '../common/errors.js';
import { counter } from '../platform/prometheus/metric.js';

const signIns = counter({
  name: 'opencanvas_sign_in_total',
  help: 'Steps of sign-ins by outcome: done, or the code of the error',
  labelNames: ['outcome'],
});

/** Counts the calls of a method that signs an account in, by outcome. */
export function CountedSignIn() {
  return <Work extends (...args: never[]) => Promise<unknown>>(
    _target: object,
    _name: string,
    descriptor: TypedPropertyDescriptor<Work>,
  ): void => {
    const signIn = descriptor.value!;
    const counted = async function (this: unknown, ...args: Parameters<Work>): Promise<unknown> {
      try {
        const result = await signIn.apply(this, args);
        signIns.inc({ outcome: 'done' });
        return result;
      } catch (error) {
        signIns.inc({ outcome: error instanceof CodedError ? error.code : 'failed' });
        throw error;
      }
    };
    descriptor.value = counted as Work;
  };
}
