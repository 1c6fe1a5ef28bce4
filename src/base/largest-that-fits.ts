/** The largest whole number that fits, if all up to it fit and none after it does. `least` is not tried. */
export function largestThatFits(least: number, most: number, fits: (number: number) => boolean): number {
  let [low, high] = [least, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
