// Sets the colour scheme before the first paint, so that a dark page never flashes white. What is printed is light: paper
// is white.
;(() => {
  const { dataset } = document.documentElement
  const system = matchMedia('(prefers-color-scheme: dark)')
  const choose = () => {
    const wanted = localStorage.getItem('marquee-color-scheme') ?? 'auto'
    const dark = wanted === 'dark' || (wanted === 'auto' && system.matches)
    dataset.mantineColorScheme = dark ? 'dark' : 'light'
  }
  choose()
  system.addEventListener('change', choose)
  let onScreen = dataset.mantineColorScheme
  addEventListener('beforeprint', () => {
    onScreen = dataset.mantineColorScheme
    dataset.mantineColorScheme = 'light'
  })
  addEventListener('afterprint', () => {
    dataset.mantineColorScheme = onScreen
  })
})()
