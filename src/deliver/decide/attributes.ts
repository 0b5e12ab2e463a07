// Our banners in terms of AdCOM's list of creative attributes, for `attr` and against `battr`.

const STATIC = 21
const LIMITED_MOTION = 22

// Review rejects banners that move for more than 30 s or faster than 5 frames per second, so all motion is limited.
export function attributesOf(banner: { animated: boolean }): number[] {
  return [banner.animated ? LIMITED_MOTION : STATIC]
}
