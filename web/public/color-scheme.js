// Sets the colour scheme before the first paint, so that a dark page never flashes white.
;(() => {
  const wanted = localStorage.getItem('marquee-color-scheme') ?? 'auto'
  const dark = wanted === 'dark' || (wanted === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
})()
