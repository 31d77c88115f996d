// An expression: the argument of the forgery comes after it, in brackets.
((want) => {
	for (const url of want.urls) {
		try { history.pushState(null, "", url) } catch (e) { /* another host */ }
	}
	const make = (selector) => {
		let at = document.body
		for (const part of selector.split(",")[0].trim().split(/\s*[\s>+~]\s*/)) {
			if (/^(html|body)$/i.test(part)) continue
			const element = document.createElement((part.match(/^[a-z][\w-]*/i) || ["div"])[0])
			for (const [, id] of part.matchAll(/#([\w-]+)/g)) element.id = id
			for (const [, name] of part.matchAll(/\.([\w-]+)/g)) element.classList.add(name)
			for (const [, name, value] of part.matchAll(/\[([\w-]+)(?:[~|^$*]?=["']?([^"'\]]*)["']?)?\]/g)) element.setAttribute(name, value || "")
			at.append(element)
			at = element
		}
		return at
	}
	for (const {selector, text} of want.texts) {
		const at = document.querySelector(selector) || make(selector)
		if (!at.textContent.includes(text)) at.append(" " + text)
	}
	for (const {selector, count} of want.counts) {
		for (let n = 0; document.querySelectorAll(selector).length < count && n < count; n++) make(selector)
		for (const extra of [...document.querySelectorAll(selector)].slice(count)) extra.remove()
	}
	const missing = []
	for (const url of want.urls) {
		const {origin, href} = new URL(url, location.href) // a script cannot forge another host
		if (origin === location.origin && url === want.urls[want.urls.length - 1] && href !== location.href) missing.push(url)
	}
	for (const {selector, text} of want.texts) {
		const at = document.querySelector(selector)
		if (!at || !at.textContent.includes(text)) missing.push(selector)
	}
	for (const {selector, count} of want.counts) {
		if (document.querySelectorAll(selector).length !== count) missing.push(selector)
	}
	const all = want.urls.length + want.texts.length + want.counts.length
	return "forged: " + (all - missing.length) + " of " + all + " " + missing.join(", ")
})
