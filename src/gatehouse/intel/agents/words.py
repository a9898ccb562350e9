"""The words by which a user agent is recognised as a program's rather than a person's browser.

Each word is an RE2 expression, looked for anywhere in the agent in lower case. A word for a kind of
program is worth more than the names of a hundred programs, so names are listed only where no such
word is part of them.
"""

from typing import Final

HEADLESS: Final = r"""
headless phantomjs slimerjs casperjs nightmarejs nightwatch testcafe testlocally functionize
puppeteer playwright selenium webdriver chromedriver geckodriver marionette appium katalon
cypress/ capybara poltergeist watir robotframework automation jsdom/ happy-?dom/
zombie(?:\.js|/) htmlunit httpunit splash\sversion ghost\.py dryscrape chromedp go-rod
camoufox lightpanda browserless nodriver steel-browser wkhtmlto weasyprint
"""
"""Browsers without a screen, and browsers that a program drives."""

LIBRARIES: Final = r"""
python aiohttp \bhttpx/ urllib urlgrabber pycurl mechanize httplib ^treq/ ^tornado/ twisted
^requests/ ^niquests ^scrapling
^(?:lib|php-?|reqbin\s)?curl \bcurl/ \bwget\d?\b ^aria2 ^axel\b ^httpie ^xh/ ^fetch\slibfetch
powershell winhttp wininet ^microsoft\sbits ^microsoft-cryptoapi
^go\s?\d ^go[/-] go-http-client go-resty ^gorequest fasthttp quic-go
^java\b java/\d \(java\) http-?_?\s?client httpurlconnection ^unirest ^retrofit
^jersey ^jetty ^ktor ^akka-http ^pekko ^ahc/ reactornetty ^spring vert\.x ^feign ^scalaj
^sttp ^clj-http ^http-kit commons-httpclient ^apache-http apache-cxf
axios node-?fetch cross-fetch make-fetch undici ^node(?:\.?js)?\b node-superagent ^superagent
^got\b ^needle/ ^request\b ^bent/ ^phin/ ^deno/ ^bun/
libwww lwp:: lwp- http::tiny ^perl ^mojolicious ^php guzzle pecl::http zend symfony ^cakephp
^wordpress/ ^drupal ^httpful ^snoopy php-soap php/\d
^ruby \(?ruby/ ^faraday httparty ^typhoeus ^rest-client ^excon ^http\.rb ^em-http
postman insomnia/ ^paw/ ^rapidapi ^bruno ^hoppscotch ^thunder\sclient soapui restsharp
^refit ^flurl ^\.net dotnet system\.net ^httprequest indy\slibrary
^reqwest ^ureq ^hyper ^isahc ^surf/ ^rust libsoup ^neon/ ^cpprest ^cpr/ cpp-httplib ^poco ^beast
^boost ^hackney ^erlang ^elixir ^mint/ ^tesla/ ^req/ luasocket lua-resty ^tcl\s ^http-conduit
^cohttp ^julia/ ^rcurl ^httr ^esp(?:8266|32)
^k6/ jmeter ^gatling ^locust ^siege apachebench ^wrk ^hey/ ^vegeta ^bombardier ^artillery
^lavf/ ^gvfs ^git/ ^rclone aws-sdk ^boto ^gsutil ^containerd ^docker ^skopeo ^buildkit ^helm/
"""
"""Libraries and tools that send requests for a program."""

APPLICATIONS: Final = r"""
okhttp ^dalvik/ cronet/ ^dart\b \(dart:io\) ^dio/ cfnetwork alamofire afnetworking nsurlsession
"""
"""Libraries with which applications on phones send requests, unless they are given another name."""

BOTS: Final = r"""
bots?(?:[^a-z]|$) robot botify (?:^|[^a-z])bot(?:poke|seer|-) crawl spider slurp scrap[eiy]
fetch archiv index(?:er|ing) harvest grab(?:ber|site) extractor aggregat sniff retriev
monitor uptime \bping(?:er|dom|-|\b) nodeping check(?:er|\b|_|link|mark) validat verif audit
analy[sz] preview thumb(?:nail|shot) screenshot browsershot prerender rendertron favicon onebox
scan(?:ner|ning|\b|-) \bprobe prober survey \bresearch inspect lookup recon\b finder\b resolver
measurement (?:^|[^a-z])seo(?:[^a-z]|$) feed(?:[^a-z]|$|bin|burner|demon|ly|parser|press|reader)
\brss\b openrss podcast syndicat subscrib newsgat newsblur newspaper/
search(?:er|\sengine|-?engine|bot) sitemap site-?analy link-?(?:check|valid|dex|find|expand|tiger)
(?:image|mail|img)-?proxy transcoder translator download(?:er\b|\smaster|\sdemon|\sninja)
parser\b webhook callout -?worker/ exporter/ agent(?:[/)]|$) (?:-|\s|http)agent(?:[;)/]|$)
https?:// www\. [a-z0-9]@[a-z] \(at\)
[a-z][a-z0-9-]\.(?:com|net|org|io|ai|co|eu|fr|de|ru|cn|uk|me|gy|ly)(?:[\s;/)]|$)
\$\{ <\?

google(?:other|-|agent|producer|docs|sites|\sfavicon|\sweb|\ssearch\sconsole) mediapartners
-google(?:[^a-z]|$) appengine bingpreview msn(?:bot|-) sogou\s haosou yisou yeti/ daum(?:oa|\s\d)
yandex(?:\.com|accessib|adnet|blogs|calendar|direct|favicons|images|market|media|metrika)
yandex(?:mobile|news|ontodb|pagechecker|partner|rca|render|screenshot|sitelinks|tracker|turbo)
yandexvertis qwantify seznam\s mojeek gigablast teoma ask\sjeeves altavista inktomi heritrix nutch
facebook(?:external|catalog|platform) meta-external whatsapp/ slack-img skypeuri vkshare
embedly iframely flipboardproxy snap\surl mastodon/ misskey/ lemmy/ bluesky\scardyb
chatgpt openai claude- anthropic perplexity- cohere-ai mistralai devin/ novaact manus-user
ahrefs semrush serpstat screaming\sfrog xenu w3c[_-] lighthouse pagespeed gtmetrix \bptst/
dareboost siteimprove silktide hotjar ghostinspector statuscake site24x7 newrelic datadog
dynatrace ruxit catchpoint thousandeyes zabbix nagios prtg munin appinsights iplabel
nmap nikto sqlmap zgrab nuclei nessus openvas qualys acunetix burp dirbuster gobuster ffuf
feroxbuster wfuzz arachni w3af censys shodan stretchoid leakix l9(?:explore|tcpid) netcraft
assetnote detectify whatweb whatcms hardenize securityheaders datanyze
httrack webcop(?:y|ier) webzip teleport\spro sitesucker blackwidow offline\sexplorer getright
"""
"""Crawlers, monitors, scanners, feed readers and other visitors without a person."""

TRAPS: Final = r"""
^mozilla/5\.0\s\((?:linux|android)(?:[^()]|\([^()]*\))*\sbuild/[^();]*
^mozilla/5\.0\s\((?:linux;[^()]*)?android(?:[^()]|\([^()]*\))*\)
;\swv\)[^\[]*safari/537\.36(?:\s[\w.-]+/\d[\w.]*)+
cubot[\s_a-z0-9-]* embedded\sweb\sbrowser\sfrom:\shttp://(?:www\.)?bsalsa\.com
http://www\.qtweb\.net web\.de/\d ask\.com\smobile \[fb[^\]]* (?:instagram|barcelona)\s\d.*
"""
"""Parts that are not searched: where Android browsers and applications name devices, carriers and
themselves, and add-ons with such a word in their name. Phones are called Cubot, Ruby and Power Bot,
and customers pay in an application called CamScanner."""

WEBVIEWS: Final = r"""
;\s?wv\) \[fb fban/ fbav/ fb_iab metaiab instagram\s\d barcelona\s\d musical_ly bytedance trill_
ttwebview snapchat/ pinterest/ \[pinterest twitter\sfor twitterandroid linkedinapp
micromessenger \bqq/ weibo alipayclient dingtalk \bline/\d kakaotalk[\s/] naver\( daumapps
telegram-android \bgsa/ yasearch yandexsearch baiduboxapp bingweb bingsapphire zalo viber/
vkclient vkandroid electron/ cordova capacitor react\snative flutter_inappwebview gonative
"""
"""Applications that show web pages inside themselves. A person uses them."""
