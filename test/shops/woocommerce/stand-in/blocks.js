/* The checkout of blocks as far as payment methods meet it: it shows those that were registered and asks the Store API. */
(function (element, methods) {
  var create = element.createElement;

  function Checkout() {
    var names = Object.keys(methods);
    var [chosen, choose] = element.useState(names[0]);
    var [email, setEmail] = element.useState('');
    var [state, setState] = element.useState('idle');
    var [problem, setProblem] = element.useState(null);

    async function place() {
      setState('processing');
      setProblem(null);
      const body = { billing_address: { email: email }, payment_method: chosen, payment_data: [] };
      const answer = await fetch('/?rest_route=/wc/store/v1/checkout', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const { payment_result: result, message } = await answer.json();
      if (result?.payment_status === 'success') {
        setState('complete');
        window.location.href = result.redirect_url;
        return;
      }
      setState('idle');
      setProblem(message);
    }

    return create(
      'div',
      { className: 'wc-block-checkout' },
      create(
        'label',
        null,
        'Email address ',
        create('input', { type: 'email', value: email, onChange: (event) => setEmail(event.target.value) }),
      ),
      names.map((name) =>
        create(
          'div',
          { key: name },
          create(
            'label',
            null,
            create('input', {
              type: 'radio',
              name: 'method',
              checked: chosen === name,
              onChange: () => choose(name),
            }),
            ' ',
            methods[name].label,
          ),
          chosen === name && methods[name].content,
        ),
      ),
      problem && create('p', { role: 'alert' }, problem),
      create(
        'button',
        { className: 'button alt', disabled: state !== 'idle', onClick: place },
        'Place Order',
      ),
    );
  }

  element.createRoot(document.getElementById('shop-blocks')).render(create(Checkout));
})(window.wp.element, window.shopMethods);
