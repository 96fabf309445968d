/*
 * Opens the page of tilld over this page of the shop. The link to it works by itself: where the script of tilld is
 * blocked, or its page may not be framed, the customer goes there.
 */
(function () {
  var box = document.getElementById('tilld-pay');
  var link = box && box.querySelector('a');
  if (!link) return;

  /** Money of these is seen, so that the order goes on; of an underpaid payment the rest is paid in the same window. */
  var SEEN = ['confirming', 'completed'];
  var ENDED = ['expired', 'cancelled', 'failed'];
  /** Long enough to read that the payment has arrived. */
  var READ_MS = 1500;
  var TRIED = 'tilld-tried';
  var isOpen = false;
  var isLeaving = false;
  var status = null;

  function leave(url) {
    isLeaving = true;
    window.location.assign(url);
  }

  /** What did not open once is not tried again: the browser's Back would never get past this page. */
  function remember(url) {
    try {
      if (url === null) sessionStorage.removeItem(TRIED);
      else sessionStorage.setItem(TRIED, url);
    } catch (_) {
      // Without storage, which browsers may forbid, each visit tries again.
    }
  }

  function wasTried() {
    try {
      return sessionStorage.getItem(TRIED) === link.href;
    } catch (_) {
      return false;
    }
  }

  function hear(payment) {
    remember(null);
    status = payment.status;
    if (SEEN.indexOf(status) === -1 || isLeaving) return;
    isLeaving = true;
    setTimeout(leave, READ_MS, box.dataset.tilldBack);
  }

  function show() {
    if (isOpen || isLeaving) return;
    if (!window.Tilld) return leave(link.href);
    isOpen = true;
    remember(link.href);
    window.Tilld.open({
      url: link.href,
      onStatus: hear,
      onClose: function () {
        isOpen = false;
        remember(null);
        link.focus();
        if (SEEN.indexOf(status) !== -1) leave(box.dataset.tilldBack);
      },
    });
  }

  function onClick(event) {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    // The page makes another payment for one that has ended.
    if (ENDED.indexOf(status) !== -1) window.location.reload();
    else show();
  }

  if (wasTried()) return;
  var script = document.createElement('script');
  script.src = box.dataset.tilldScript;
  script.onload = function () {
    link.addEventListener('click', onClick);
    show();
  };
  script.onerror = function () {
    remember(link.href);
    leave(link.href);
  };
  document.head.append(script);

  // Kept by the browser as it was left, with a window that is closed or a customer who was led on.
  window.addEventListener('pageshow', function (event) {
    if (event.persisted) window.location.reload();
  });
})();
