// A bound on waiting for what may never answer. What is late goes on by itself; nobody waits for it any more.

/** @import { Surroundings } from './types.js' */

/**
 * @template T
 * @param {Surroundings} around
 * @param {Promise<T>} promise
 * @param {number} limitMs
 * @returns {Promise<T | undefined>} undefined when it took longer
 */
export function within(around, promise, limitMs) {
  return new Promise((resolve, reject) => {
    const timer = around.setTimer(() => resolve(undefined), limitMs);
    const done = () => around.clearTimer(timer);
    promise.then((value) => {
      done();
      resolve(value);
    }, (error) => {
      done();
      reject(error);
    });
  });
}
