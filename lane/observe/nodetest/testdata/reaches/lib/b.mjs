#!/usr/bin/env node
// é
export const b = () => {
  return 1;
};
