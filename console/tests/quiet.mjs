// How loaded the machine is. Limits on time are for a machine that does nothing else: they grow by this factor.

import process from "node:process";

const SPIN_MS = 120;

/** The time that some work takes, of the processor's time that it takes: 1 where nothing else runs. */
export function contention() {
  const [start, before] = [performance.now(), process.cpuUsage()];
  while (performance.now() - start < SPIN_MS);
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, (performance.now() - start) / ((user + system) / 1000));
}
